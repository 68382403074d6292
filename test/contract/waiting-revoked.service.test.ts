import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import type { TypedApp } from '../../api/http/operation.ts';
import { createWaiters, type Waiters } from '../../api/waiting/waiters.ts';
import { WAITING } from '../../lib/contract/limits.ts';
import { openMongo } from '../../lib/stores/mongo/client.ts';
import { openJobFeed } from '../../lib/stores/mongo/job-feed.ts';
import { createMongoStores } from '../../lib/stores/mongo/stores.ts';
import { postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { sampleImage } from '../setup/images.ts';
import { draftOf } from '../setup/records.ts';
import { type Service, startService } from '../setup/service.ts';
import { storingGateway } from './gateway.ts';
import { error, outcome } from './responses.ts';

const RESULT = { results: [{ bucket: 'results' as const, key: 'a/b-pool.jpeg' }], processingMs: 2000 };
/** A heartbeat that never comes. */
const LONG_MS = 600_000;
/** As long as may be waited, which no test does. */
const WAIT = { prefer: 'wait=60' };

/** Who may no longer read the job, and how that came. */
const REVOCATIONS: [name: string, revoke: () => Promise<unknown>][] = [
  ['key was revoked', () => others.keys.revoke(client.keyId)],
  ['account was disabled', () => others.accounts.setStatus(client.accountId, 'disabled')],
];

let service: Service;
let app: TypedApp;
let waiters: Waiters;
/** Jobs that the API has read: a request waits from then on. */
let found: number;
/** The stores of a process that does not know of any waiter. */
let others: Service['stores'];
let client: Awaited<ReturnType<Service['client']>>;

/** @param heartbeatMs at which all keys are looked up */
function serve(heartbeatMs: number): void {
  const open = closers();
  beforeAll(async () => {
    const jobGateway = storingGateway({ accept: (draft) => service.stores.jobs.accept(draft) });
    service = open.use(await startService({ api: { jobGateway } }));
    waiters = createWaiters(open.use(openJobFeed(service.config.mongo)), WAITING, heartbeatMs);
    const { jobs } = service.stores;
    const find: typeof jobs.find = async (...of) => {
      const job = await jobs.find(...of);
      found += 1;
      return job;
    };
    const stores = { ...service.stores, jobs: { ...jobs, find } };
    app = open.use(buildApp({ ...service.deps, stores, waiters }));
    await app.ready();
    others = createMongoStores(open.use(openMongo(service.config.mongo)));
  });
  beforeEach(async () => {
    client = await service.client();
    found = 0;
  });
  afterAll(() => open.close());
}

async function accept(): Promise<string> {
  const draft = draftOf(client, { tool: 'pool' });
  await service.stores.jobs.accept(draft);
  return draft.jobId;
}

const get = (path: string, headers = {}) =>
  app.inject({ url: `/api/v1/jobs/${path}`, headers: { ...client.headers, ...headers } });
const untilWaiting = (count = 1) => expect.poll(() => found).toBe(count);

describe('before the end of the job is told', () => {
  serve(LONG_MS);

  test.each(REVOCATIONS)('a GET that waits is answered 401 if the %s', async (_, revoke) => {
    const jobId = await accept();
    const waiting = get(jobId, WAIT);
    await untilWaiting();
    await revoke();
    await others.jobs.complete(jobId, RESULT);
    expect(outcome(await waiting)).toBe(error('key_revoked'));
    await expect.poll(() => waiters.counts).toEqual({ prefer: 0, events: 0 });
  });

  test.each(REVOCATIONS)(
    'a POST that waits says that the job is charged, and no more, if the %s',
    async (_, revoke) => {
      const body = { tool: 'pool', image_base64: await sampleImage() };
      const waiting = postJob(app, { ...client.headers, ...WAIT }, body);
      await untilWaiting();
      const [job] = await others.jobs.list(client.accountId, 1);
      await revoke();
      await others.jobs.complete(job?.id ?? '', RESULT);
      const answer = await waiting;
      expect(answer.statusCode).toBe(201);
      expect(answer.json()).toEqual({
        job_id: job?.id,
        status: 'processing',
        images_charged: 1,
        warnings: [],
      });
    },
  );

  test.each(REVOCATIONS)('a stream ends without it if the %s', async (_, revoke) => {
    const jobId = await accept();
    const stream = get(`${jobId}/events`);
    await untilWaiting();
    await revoke();
    await others.jobs.complete(jobId, RESULT);
    const { body } = await stream;
    expect(body).toContain('id: processing');
    expect(body).not.toContain('id: completed');
    expect(body).toMatch(/\n: The key was revoked or its account is disabled\.\n\n$/);
    expect(outcome(await get(`${jobId}/events`))).toBe(error('key_revoked'));
  });

  test('another key of the account is told of it', async () => {
    const jobId = await accept();
    const waiting = get(jobId, WAIT);
    await untilWaiting();
    const other = await service.keyOf(client.accountId, 7);
    await others.keys.revoke(other.keyId);
    await others.jobs.complete(jobId, RESULT);
    expect((await waiting).json()).toMatchObject({ status: 'completed' });
  });
});

describe('at the next heartbeat', () => {
  serve(50);

  test.each(REVOCATIONS)('requests that wait end if the %s', async (_, revoke) => {
    const jobId = await accept();
    const [waiting, stream] = [get(jobId, WAIT), get(`${jobId}/events`)];
    await untilWaiting(2);
    await revoke();
    expect(outcome(await waiting)).toBe(error('key_revoked'));
    expect((await stream).body).toMatch(/: The key was revoked or its account is disabled\.\n\n$/);
  });

  test('others wait on', async () => {
    const jobId = await accept();
    const ofOther = await service.client();
    const waiting = get(jobId, WAIT);
    await untilWaiting();
    await others.keys.revoke(ofOther.keyId);
    await others.jobs.complete(jobId, RESULT);
    expect((await waiting).json()).toMatchObject({ status: 'completed', result_urls: [expect.any(String)] });
  });
});
