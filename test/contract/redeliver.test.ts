import { randomUUID } from 'node:crypto';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRateLimits } from '../../api/http/rate-limit.ts';
import { WebhookDelivery, type WebhookDeliveryList } from '../../lib/contract/deliveries.ts';
import { WEBHOOK_LIMITS } from '../../lib/contract/limits.ts';
import { digestApiKey, issueApiKey } from '../../lib/domain/api-key.ts';
import { deliveryIdOf, newDeliveryId } from '../../lib/domain/delivery.ts';
import { PERMISSIVE } from '../setup/permissive.ts';
import { draftOf, newKey } from '../setup/records.ts';
import { startFakeApi } from './fake-api.ts';
import { error, expectError, outcome } from './responses.ts';

const URL = 'https://hooks.example.com/a';
let api: Awaited<ReturnType<typeof startFakeApi>>;
let client: Awaited<ReturnType<typeof api.client>>;
interface Started {
  how: string;
  id: string;
  cycle?: string;
}
/** Workflows, all of which are still running. */
const started: Started[] = [];
let start: (workflow: Started) => Promise<void>;
let now = 0;

beforeAll(async () => {
  const { countWebhook } = createRateLimits({ prefix: '/api/v1', now: () => now });
  api = await startFakeApi(Buffer.alloc(0), {
    rateLimits: { ...PERMISSIVE.rateLimits, countWebhook },
    webhookGateway: {
      async redeliver({ id }, cycle) {
        if (started.some((workflow) => workflow.id === id)) return false;
        await start({ how: 'redeliver', id, cycle });
        return true;
      },
      sendTest: ({ id }) => start({ how: 'sendTest', id }),
    },
  });
});
beforeEach(async () => {
  client = await api.client();
  started.length = 0;
  start = async (workflow) => void started.push(workflow);
});
afterAll(() => api?.[Symbol.asyncDispose]());

const post = (path: string, headers: Record<string, string> = client.headers, payload?: string) =>
  api.app.inject({ method: 'POST', url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
const redeliver = (id: string, headers?: Record<string, string>) =>
  post(`/webhook-deliveries/${id}/redeliver`, headers);
const sendTest = () => post('/webhook-endpoint/test');
const find = (id: string) => api.stores.deliveries.find(id);

/** The delivery of a job that has ended. */
async function deliver(webhookUrl: string | null = URL) {
  const draft = draftOf({ accountId: client.accountId, keyId: 'k' }, { webhookUrl });
  await api.stores.jobs.accept(draft);
  await api.stores.jobs.complete(draft.jobId, { results: [], processingMs: 1 });
  return { jobId: draft.jobId, id: deliveryIdOf(draft.jobId) };
}
const end = (id: string, state: 'failed' | 'cancelled' = 'failed') =>
  api.stores.deliveries.close(id, 'first', { state, reason: 'All 8 attempts failed.' });

describe('POST /v1/webhook-deliveries/{id}/redeliver', () => {
  test('reopens the delivery and starts a cycle of attempts, which the log shows at once', async () => {
    const { id } = await deliver();
    await end(id);
    const response = await redeliver(id);
    expect(outcome(response)).toBe('202');
    expect(Value.Check(WebhookDelivery, response.json())).toBe(true);
    expect(response.json()).toMatchObject({ id, status: 'pending', reason: null, next_attempt_at: null });
    const { data } = (
      await api.app.inject({ url: '/api/v1/webhook-deliveries', headers: client.headers })
    ).json<WebhookDeliveryList>();
    expect(data).toEqual([response.json()]);
    expect(started).toEqual([{ how: 'redeliver', id, cycle: (await find(id))?.cycle }]);
  });

  test.each(['delivered', 'failed', 'cancelled'] as const)(
    'is possible for one that is %s',
    async (state) => {
      const { id } = await deliver();
      const delivery = api.stores.books.deliveries.get(id);
      if (delivery !== undefined) delivery.state = state;
      expect(outcome(await redeliver(id))).toBe('202');
    },
  );

  test('is refused while the delivery is pending, and of many requests at once one is accepted', async () => {
    const { id } = await deliver();
    expectError(await redeliver(id), 'delivery_pending', api.config.api.publicUrl);
    expect(started).toEqual([]);
    await end(id);
    const outcomes = await Promise.all(Array.from({ length: 20 }, async () => outcome(await redeliver(id))));
    expect(outcomes.filter((each) => each === '202')).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(['202', error('delivery_pending')]));
    expect(started).toHaveLength(1);
  });

  test('is refused when another redelivery has followed the same cycle meanwhile', async () => {
    const { id } = await deliver();
    await end(id);
    start = async () => {
      await api.stores.deliveries.reopen(id, 'other', 'first');
      await api.stores.deliveries.close(id, 'other', { state: 'failed', reason: 'No.' });
    };
    expectError(await redeliver(id), 'delivery_pending', api.config.api.publicUrl);
    expect(await find(id)).toMatchObject({ cycle: 'other', state: 'failed', reason: 'No.' });
  });

  test('is refused once the job was deleted, whether its webhook was sent or not', async () => {
    const { id, jobId } = await deliver();
    await end(id);
    await api.stores.jobs.remove([jobId]);
    expectError(await redeliver(id), 'job_not_found', api.config.api.publicUrl);
    expect(await find(id)).toMatchObject({ state: 'failed', url: null });
    expect(started).toEqual([]);
  });

  test('needs an endpoint, if the event is for that of the account', async () => {
    await api.stores.accounts.setWebhook(client.accountId, { url: URL });
    const { id } = await deliver(null);
    await end(id);
    await api.stores.accounts.setWebhook(client.accountId, { url: null });
    const refused = await redeliver(id);
    expectError(refused, 'invalid_request', api.config.api.publicUrl);
    expect(refused.json().error.message).toContain('PUT /v1/webhook-endpoint');
    await api.stores.accounts.setWebhook(client.accountId, { url: `${URL}/new` });
    expect(outcome(await redeliver(id))).toBe('202');
  });

  test('an id that is unknown, malformed or of another account gets the same answer', async () => {
    const { id } = await deliver();
    await end(id);
    client = await api.client();
    const ids = [id, newDeliveryId(), randomUUID(), 'x', id.toUpperCase(), '%00', '$ne', 'x'.repeat(3000)];
    for (const each of ids) {
      const response = await redeliver(each);
      expectError(response, 'delivery_not_found', api.config.api.publicUrl);
      expect(response.json().error.message).toBe('There is no such delivery.');
    }
    expect([started, (await find(id))?.state]).toEqual([[], 'failed']);
  });

  test('ignores a body', async () => {
    const { id } = await deliver();
    await end(id);
    const headers = { ...client.headers, 'content-type': 'application/json' };
    expect(outcome(await post(`/webhook-deliveries/${id}/redeliver`, headers, '{"url":'))).toBe('202');
  });
});

describe('POST /v1/webhook-endpoint/test', () => {
  test('puts a test event in the log and starts its only attempt', async () => {
    await api.stores.accounts.setWebhook(client.accountId, { url: URL });
    const [first, second] = [await sendTest(), await sendTest()];
    expect([outcome(first), outcome(second)]).toEqual(['202', '202']);
    const delivery = first.json<WebhookDelivery>();
    expect(Value.Check(WebhookDelivery, delivery)).toBe(true);
    expect(delivery).toMatchObject({ type: 'test.ping', job_id: null, status: 'pending', url: URL });
    expect(delivery.id).not.toBe(second.json().id);
    expect(started[0]).toEqual({ how: 'sendTest', id: delivery.id });
    expect(await find(delivery.id)).toMatchObject({ accountId: client.accountId, state: 'pending' });
  });

  test('needs an endpoint', async () => {
    const refused = await sendTest();
    expectError(refused, 'invalid_request', api.config.api.publicUrl);
    expect(refused.json().error.message).toContain('The account has no webhook endpoint.');
    expect(started).toEqual([]);
  });
});

describe('the limits of an hour', () => {
  const { windowMs } = WEBHOOK_LIMITS;
  async function anotherKey() {
    const apiKey = issueApiKey(api.config.keyPrefix);
    await newKey(api.stores, client.accountId, digestApiKey(apiKey));
    return { 'x-api-key': apiKey };
  }
  /** A delivery that has failed, of the present account. */
  async function failed(): Promise<string> {
    const { id } = await deliver();
    await end(id);
    return id;
  }

  test('count test events over all keys of an account, until one of them is an hour old', async () => {
    const other = await anotherKey();
    const test = (headers = client.headers) => post('/webhook-endpoint/test', headers);
    expectError(await test(), 'invalid_request', api.config.api.publicUrl);
    await api.stores.accounts.setWebhook(client.accountId, { url: URL });
    expect(outcome(await test())).toBe('202');
    now += windowMs / 2;
    for (let n = 1; n < 60; n += 1) expect(outcome(await test(n % 2 ? other : client.headers))).toBe('202');
    const refused = await test(other);
    expectError(refused, 'rate_limited', api.config.api.publicUrl);
    expect(refused.headers['retry-after']).toBe('1800');
    expect(refused.json().error.message).toBe(
      'More than 60 test events an hour for this account. Retry in 1800 seconds.',
    );
    expect(started).toHaveLength(60);
    expect(outcome(await redeliver(await failed()))).toBe('202');
    now += windowMs / 2;
    expect([outcome(await test()), outcome(await test())]).toEqual(['202', error('rate_limited')]);
    client = await api.client();
    await api.stores.accounts.setWebhook(client.accountId, { url: URL });
    expect(outcome(await test())).toBe('202');
  });

  test('count redeliveries, but none that is refused for another reason', async () => {
    const { id: pending } = await deliver();
    const ids = await Promise.all(Array.from({ length: 301 }, failed));
    for (let n = 0; n < 10; n += 1)
      for (const id of [pending, newDeliveryId()]) expect((await redeliver(id)).statusCode).not.toBe(202);
    const last = ids.pop() ?? '';
    for (const id of ids) expect(outcome(await redeliver(id))).toBe('202');
    const refused = await redeliver(last, await anotherKey());
    expectError(refused, 'rate_limited', api.config.api.publicUrl);
    expect(refused.json().error.message).toMatch(/^More than 300 redeliveries an hour for this account\./);
    expect((await find(last))?.state).toBe('failed');
    now += windowMs;
    expect(outcome(await redeliver(last))).toBe('202');
  });
});

describe('while Temporal cannot be reached', () => {
  beforeEach(async () => {
    start = async () => {
      throw new Error('unavailable');
    };
    await api.stores.accounts.setWebhook(client.accountId, { url: URL });
  });

  test('a redelivery gets 500, and the delivery stays as it was, so that it can be requested again', async () => {
    const { id } = await deliver();
    await end(id);
    const before = await find(id);
    expectError(await redeliver(id), 'internal_error', api.config.api.publicUrl);
    expect(await find(id)).toEqual(before);
    start = async () => {};
    expect(outcome(await redeliver(id))).toBe('202');
  });

  test('a test gets 500, and is not in the log', async () => {
    expectError(await sendTest(), 'internal_error', api.config.api.publicUrl);
    expect(await api.stores.deliveries.list(client.accountId, 1)).toEqual([]);
  });
});
