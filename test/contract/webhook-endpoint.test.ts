import { Value } from 'typebox/value';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebhookEndpoint } from '../../contract/webhook-endpoint.ts';
import { startFakeApi } from './fake-api.ts';
import { outcome } from './responses.ts';

const URL = 'https://hooks.example.com/a';
let api: Awaited<ReturnType<typeof startFakeApi>>;
let client: Awaited<ReturnType<typeof api.client>>;

beforeAll(async () => {
  api = await startFakeApi(Buffer.alloc(0));
});
beforeEach(async () => {
  client = await api.client();
});
afterAll(() => api?.[Symbol.asyncDispose]());

const PATH = '/api/v1/webhook-endpoint';
const get = () => api.app.inject({ url: PATH, headers: client.headers });
const read = async () => (await get()).json<WebhookEndpoint>();

describe('GET /v1/webhook-endpoint', () => {
  test('says that there is none, or where it is', async () => {
    const none = { url: null, status: 'enabled', disabled_reason: null, failing_since: null };
    expect(await read()).toEqual(none);
    await api.stores.accounts.setWebhook(client.accountId, { url: URL });
    expect(await read()).toEqual({ ...none, url: URL });
  });

  test('says since when it fails, and why it was disabled, but never its secret', async () => {
    const { accounts } = api.stores;
    await accounts.setWebhook(client.accountId, {
      url: URL,
      rotateTo: { secret: 'whsec_c2VjcmV0', previousUntil: new Date() },
    });
    await accounts.recordEndpointHealth(client.accountId, URL, { failingSince: new Date(0) });
    await accounts.recordEndpointHealth(client.accountId, URL, { disabledReason: 'Every delivery failed.' });
    const response = await get();
    expect(outcome(response)).toBe('200');
    expect(Value.Check(WebhookEndpoint, response.json())).toBe(true);
    expect(response.json()).toEqual({
      url: URL,
      status: 'disabled',
      disabled_reason: 'Every delivery failed.',
      failing_since: '1970-01-01T00:00:00.000Z',
    });
    expect(response.body).not.toContain('whsec_');
  });
});
