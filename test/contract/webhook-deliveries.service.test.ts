import { randomUUID } from 'node:crypto';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebhookDeliveryList } from '../../lib/contract/deliveries.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { deliveryIdOf, KEPT_ATTEMPTS } from '../../lib/domain/delivery.ts';
import type { DeliveryRecord } from '../../lib/domain/records.ts';
import { collections } from '../../lib/stores/mongo/documents.ts';
import { draftOf } from '../setup/records.ts';
import { type Service, startService } from '../setup/service.ts';
import { storingGateway } from './gateway.ts';
import { error, expectError, outcome } from './responses.ts';

let service: Service;
let client: Awaited<ReturnType<Service['client']>>;

beforeAll(async () => {
  const jobGateway = storingGateway({ accept: (draft) => service.stores.jobs.accept(draft) });
  service = await startService({ api: { jobGateway } });
});
beforeEach(async () => {
  client = await service.client(500);
});
afterAll(() => service?.[Symbol.asyncDispose]());

const PATH = '/api/v1/webhook-deliveries';
const START = Date.parse('2026-11-22T09:30:00Z');
const URL_OF_JOB = 'https://hooks.example.com/own';
type Query = Record<string, string | number | string[]>;

function get(query: Query = {}, headers: Record<string, string> = client.headers) {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, String(value)]),
  );
  return service.app.inject({ url: `${PATH}?${new URLSearchParams(pairs)}`, headers });
}
async function page(query: Query = {}, headers?: Record<string, string>): Promise<WebhookDeliveryList> {
  const response = await get(query, headers);
  expect([response.statusCode, response.body]).toEqual([200, expect.any(String)]);
  return response.json<WebhookDeliveryList>();
}
const idsOf = async (query: Query, headers?: Record<string, string>) =>
  (await page(query, headers)).data.map(({ id }) => id);

/** Changes the delivery in the log. */
async function set(id: string, change: Partial<DeliveryRecord>): Promise<void> {
  await collections(service.mongo.db).deliveries.updateOne({ _id: id }, { $set: change });
}
/** Ends a job with a webhook of its own. @returns the job and its delivery */
async function deliver(n = 0, change: Partial<DeliveryRecord> = {}) {
  const draft = draftOf(client, { webhookUrl: URL_OF_JOB });
  await service.stores.jobs.accept(draft);
  await service.stores.jobs.complete(draft.jobId, { results: [], processingMs: 1 });
  const id = deliveryIdOf(draft.jobId);
  await set(id, { createdAt: new Date(START + n * 1000), ...change });
  return { jobId: draft.jobId, id };
}
const attempt = (n: number, responseBody: string | null = 'busy', url = URL_OF_JOB) => ({
  at: new Date(START + n),
  url,
  status: 503,
  ms: 12,
  error: 'The receiver responded with status 503.',
  responseBody,
});

test('the log has the events of the account with their attempts, the newest first', async () => {
  const old = await deliver(0, { state: 'delivered', attempts: [attempt(1), attempt(2)], tries: 2 });
  const young = await deliver(1, { nextAttemptAt: new Date(START + 60_000) });
  await deliver(2).then(({ id }) => set(id, { accountId: randomUUID() }));
  const list = await page();
  expect(Value.Check(WebhookDeliveryList, list)).toBe(true);
  expect(list).toEqual({
    data: [
      {
        id: young.id,
        type: 'job.completed',
        job_id: young.jobId,
        status: 'pending',
        reason: null,
        url: URL_OF_JOB,
        attempts: [],
        next_attempt_at: '2026-11-22T09:31:00.000Z',
        created_at: '2026-11-22T09:30:01.000Z',
      },
      expect.objectContaining({ id: old.id, status: 'delivered', next_attempt_at: null }),
    ],
    has_more: false,
  });
  expect(list.data[1]?.attempts[1]).toEqual({
    at: '2026-11-22T09:30:00.002Z',
    status: 503,
    ms: 12,
    error: 'The receiver responded with status 503.',
    response_body: 'busy',
  });
});

test('pages neither skip nor repeat a delivery, also when jobs are created and deleted between them', async () => {
  const made = [];
  for (let n = 0; n < 7; n += 1) made.push(await deliver(n >= 2 && n < 5 ? 3 : n));
  const all = await idsOf({});
  const seen: string[] = [];
  for (let after: Query = {}; ; after = { starting_after: seen.at(-1) ?? '' }) {
    const next = await page({ limit: 2, ...after });
    seen.push(...next.data.map(({ id }) => id));
    if (!next.has_more) break;
    const last = made.find(({ id }) => id === seen.at(-1));
    await service.stores.jobs.remove([last?.jobId ?? '']);
    await deliver(100);
  }
  expect(seen).toEqual(all);
  expect([...seen].sort()).toEqual(made.map(({ id }) => id).sort());
});

test('the log is filtered by job, by status, and by both', async () => {
  const failed = await deliver(0, { state: 'failed', reason: 'All 8 attempts failed.' });
  const pending = await deliver(1);
  expect(await idsOf({ status: 'failed' })).toEqual([failed.id]);
  expect(await idsOf({ status: 'delivered' })).toEqual([]);
  expect(await idsOf({ job_id: failed.jobId.toUpperCase() })).toEqual([failed.id]);
  expect(await idsOf({ job_id: failed.jobId, status: 'pending' })).toEqual([]);
  expect(await idsOf({ job_id: pending.jobId, starting_after: pending.id })).toEqual([]);
  expect(await idsOf({ job_id: randomUUID() })).toEqual([]);
  expect(await idsOf({ job_id: failed.jobId }, (await service.client()).headers)).toEqual([]);
});

test('the delivery of a deleted job has no URL and no responses any more', async () => {
  const { jobId } = await deliver(0, { attempts: [attempt(1, 'a secret')] });
  await service.stores.jobs.remove([jobId]);
  expect((await page({ job_id: jobId })).data).toMatchObject([
    {
      job_id: jobId,
      status: 'cancelled',
      reason: 'The job was deleted.',
      url: null,
      attempts: [{ status: 503, response_body: null }],
    },
  ]);
});

test('control characters of a response are replaced', async () => {
  const { jobId } = await deliver(0, { attempts: [attempt(1, 'a\0\u001b[2J\tb\r\n\u009fc\u202e"')] });
  expect((await page({ job_id: jobId })).data[0]?.attempts[0]?.response_body).toBe(
    'a\ufffd\ufffd[2J\tb\r\n\ufffdc\u202e"',
  );
});

test('a page is bounded, however long the logs of its deliveries and their responses are', async () => {
  const attempts = Array.from({ length: KEPT_ATTEMPTS }, (_, n) =>
    attempt(n, '\u0001'.repeat(1024), `https://hooks.example.com/${'x'.repeat(1900)}`),
  );
  const { deliveries } = collections(service.mongo.db);
  const { id } = await deliver(0, { attempts, state: 'failed' });
  const { _id, ...row } = (await deliveries.findOne({ _id: id })) ?? { _id: '' };
  await deliveries.insertMany(
    Array.from({ length: 120 }, () => ({ ...(row as DeliveryRecord), _id: deliveryIdOf(randomUUID()) })),
  );
  const response = await get({ limit: 100 });
  const list = response.json<WebhookDeliveryList>();
  expect([list.data.length, list.has_more]).toEqual([100, true]);
  for (const delivery of list.data)
    expect(delivery.attempts.map(({ at }) => at)).toEqual(
      attempts.slice(-LIMITS.deliveryAttempts).map(({ at }) => at.toISOString()),
    );
  expect(Buffer.byteLength(response.body)).toBeLessThan(3 * 1024 * 1024);
  const read = await service.stores.deliveries.list(client.accountId, 3, { attempts: 8 });
  expect(read.map((delivery) => delivery.attempts.length)).toEqual([8, 8, 8]);
});

describe('a query that is refused', () => {
  test.each<[string, string[]]>([
    ['status', ['processing', 'Pending', '', 'pending,failed', '$ne']],
    ['job_id', ['', 'x', 'msg_1', '../x', '\0', `${randomUUID()}0`, 'x'.repeat(3000)]],
    ['limit', ['0', '101', 'true', '1e1', '']],
    ['starting_after', ['x'.repeat(201)]],
  ])('%s: %j', async (name, values) => {
    for (const value of values) {
      const refused = await get({ [name]: value });
      expectError(refused, 'invalid_request', service.config.api.publicUrl);
      expect(refused.json().error.message).toMatch(new RegExp(`^${name}: must `));
    }
  });

  test('repeats a parameter; one that is unknown is ignored', async () => {
    for (const name of ['status', 'job_id', 'limit', 'starting_after']) {
      const repeated = await get({ [name]: ['a', 'b'] });
      expect(outcome(repeated)).toBe(error('invalid_request'));
      expect(repeated.json().error.message).toBe(`${name}: must be sent once.`);
    }
    expect(await idsOf({ account_id: randomUUID(), 'status[$ne]': 'failed' })).toEqual([]);
  });

  test('has a cursor that is unknown, malformed or of another account, all answered the same', async () => {
    const { id } = await deliver();
    client = await service.client();
    const cursors = [id, deliveryIdOf(randomUUID()), 'x', '', '\0', '$ne'];
    const answers = await Promise.all(cursors.map((starting_after) => get({ starting_after })));
    for (const answer of answers) {
      expect(outcome(answer)).toBe(error('invalid_request'));
      expect(answer.body).toBe(answers[0]?.body);
    }
  });
});
