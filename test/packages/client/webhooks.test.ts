import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { WebhookVerificationError, webhooks } from '../../../packages/client/src/index.ts';

const SECRET = 'whsec_plJ3nmyCDGBKInavdOK15jsl';
const OTHER = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';
const BODY = '{"type":"test.ping","timestamp":"2026-11-20T09:30:00.000Z","data":{"account_id":"ä"}}';

function signed({ secret = SECRET, at = new Date(), body = BODY, id = 'evt_1' } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000);

describe('a webhook is accepted', () => {
  test('as text or bytes, with the headers of Node or of fetch', async () => {
    expect(await webhooks.verify(signed(), BODY, SECRET)).toEqual(JSON.parse(BODY));
    const bytes = new TextEncoder().encode(BODY);
    expect(await webhooks.verify(new Headers(signed()), bytes, SECRET)).toEqual(JSON.parse(BODY));
  });

  test('when one of several signatures is right', async () => {
    const [old, current] = [signed({ secret: OTHER }), signed()];
    const both = `${old['webhook-signature']} v1a,AAAA ${current['webhook-signature']}`;
    const headers = { ...current, 'webhook-signature': both };
    expect(await webhooks.verify(headers, BODY, SECRET)).toMatchObject({ type: 'test.ping' });
  });

  test('up to five minutes late or early', async () => {
    for (const at of [secondsAgo(290), secondsAgo(-290)])
      await expect(webhooks.verify(signed({ at }), BODY, SECRET)).resolves.toBeDefined();
  });
});

describe('a webhook is rejected', () => {
  test.each<[string, Record<string, string | string[] | undefined>]>([
    ['of another secret', signed({ secret: OTHER })],
    ['of another body', signed({ body: `${BODY} ` })],
    ['of another id', { ...signed(), 'webhook-id': 'evt_2' }],
    ['that is too old', signed({ at: secondsAgo(310) })],
    ['that is of the future', signed({ at: secondsAgo(-310) })],
    ['with a timestamp that is not a number', { ...signed(), 'webhook-timestamp': 'now' }],
    ['without a signature', { ...signed(), 'webhook-signature': undefined }],
    ['with an empty signature', { ...signed(), 'webhook-signature': 'v1,' }],
    ['with a signature that is not base64', { ...signed(), 'webhook-signature': 'v1,*' }],
    ['with two ids', { ...signed(), 'webhook-id': ['evt_1', 'evt_1'] }],
  ])('%s', async (_what, headers) => {
    await expect(webhooks.verify(headers, BODY, SECRET)).rejects.toThrow(WebhookVerificationError);
  });

  test('by an error of its own for a secret that cannot be one', async () => {
    for (const secret of ['', 'whsec_', 'whsec_*'])
      await expect(webhooks.verify(signed(), BODY, secret)).rejects.toThrow(TypeError);
  });
});
