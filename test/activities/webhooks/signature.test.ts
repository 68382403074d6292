import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { issueWebhookSecret, signWebhook } from '../../../lib/domain/webhook-signature.ts';

const now = () => Math.floor(Date.now() / 1000);
const message = (body: string) => ({ id: 'msg_1', timestamp: now(), body });

describe('the signature of a webhook', () => {
  test('equals the published example of the standard', () => {
    const headers = signWebhook(['whsec_plJ3nmyCDGBKInavdOK15jsl'], {
      id: 'msg_loFOjxBNrRLzqYUf',
      timestamp: 1731705121,
      body: '{"event_type":"ping","data":{"success":true}}',
    });
    expect(headers).toEqual({
      'webhook-id': 'msg_loFOjxBNrRLzqYUf',
      'webhook-timestamp': '1731705121',
      'webhook-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
    });
  });

  test('is verified by the standardwebhooks library, for any text', () => {
    const secret = issueWebhookSecret();
    const body = JSON.stringify({ text: 'ü — \u2028 "quoted" 🏠' });
    expect(new Webhook(secret).verify(body, signWebhook([secret], message(body)))).toEqual(JSON.parse(body));
  });

  test('covers the id, the time and the body', () => {
    const secret = issueWebhookSecret();
    const headers = signWebhook([secret], message('{}'));
    const verify = (body: string, changed: object) => () =>
      new Webhook(secret).verify(body, { ...headers, ...changed });
    expect(verify('{ }', {})).toThrow();
    expect(verify('{}', { 'webhook-id': 'msg_2' })).toThrow();
    expect(verify('{}', { 'webhook-timestamp': String(now() - 1) })).toThrow();
    expect(verify('{}', {})).not.toThrow();
  });

  test('is sent for every secret, so that a receiver may have either', () => {
    const [previous, current] = [issueWebhookSecret(), issueWebhookSecret()];
    const headers = signWebhook([current, previous], message('{}'));
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    for (const secret of [previous, current]) new Webhook(secret).verify('{}', headers);
    expect(() => new Webhook(issueWebhookSecret()).verify('{}', headers)).toThrow();
  });
});

describe('a webhook secret', () => {
  test('has the prefix and 256 random bits', () => {
    const secrets = Array.from({ length: 20 }, issueWebhookSecret);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
    expect(new Set(secrets).size).toBe(20);
  });

  test('that is empty, as that of a closed account, is rejected', () => {
    expect(() => signWebhook([''], message('{}'))).toThrow();
  });
});
