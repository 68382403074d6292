import { randomUUID } from 'node:crypto';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import type { ApiDeps } from '../../api/deps.ts';
import type { TypedApp } from '../../api/http/operation.ts';
import { createWaiters } from '../../api/waiting/waiters.ts';
import { JobCreated, JobReplayed } from '../../lib/contract/schemas.ts';
import { openMongo } from '../../lib/stores/mongo/client.ts';
import { openJobFeed } from '../../lib/stores/mongo/job-feed.ts';
import { createMongoStores } from '../../lib/stores/mongo/stores.ts';
import { postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { sampleImage } from '../setup/images.ts';
import { draftOf } from '../setup/records.ts';
import { type Service, startService } from '../setup/service.ts';
import { storingGateway } from './gateway.ts';
import { error, expectError, outcome } from './responses.ts';

const open = closers();
const RESULT = { results: [{ bucket: 'results' as const, key: 'a/b-pool.jpeg' }], processingMs: 2000 };
/** As long as may be waited, which no test does. */
const WAIT = { prefer: 'wait=60' };

let service: Service;
/** The stores of a process that does not know of any waiter. */
let others: Service['stores'];
let client: Awaited<ReturnType<Service['client']>>;
let body: { tool: string; image_base64: string };

beforeAll(async () => {
  const jobGateway = storingGateway({ accept: (draft) => service.stores.jobs.accept(draft) });
  service = open.use(await startService({ api: { jobGateway } }));
  others = createMongoStores(open.use(openMongo(service.config.mongo)));
  body = { tool: 'pool', image_base64: await sampleImage() };
});
beforeEach(async () => {
  client = await service.client();
});
afterAll(() => open.close());

const get = (jobId: string, headers: Record<string, string> = {}, app = service.app) =>
  app.inject({ url: `/api/v1/jobs/${jobId}`, headers: { ...client.headers, ...headers } });
const post = (headers: Record<string, string>, key?: string, app = service.app, sent = body) =>
  postJob(app, { ...client.headers, ...headers }, sent, key);

async function accept(): Promise<string> {
  const draft = draftOf(client, { tool: 'pool' });
  await service.stores.jobs.accept(draft);
  return draft.jobId;
}

const untilWaiting = (count = 1, { waiters }: Pick<ApiDeps, 'waiters'> = service.deps) =>
  expect.poll(() => waiters.counts.prefer).toBe(count);

/** The id of the only job of the client that is processing. */
async function processing(): Promise<string> {
  const [job] = await service.stores.jobs.list(client.accountId, 1, { status: 'processing' });
  return job?.id ?? '';
}

/** The same API with other parts; closed after the test file. */
async function appWith(parts: Partial<ApiDeps>): Promise<{ app: TypedApp; deps: ApiDeps }> {
  const deps = { ...service.deps, ...parts };
  const app = open.use(buildApp(deps));
  await app.ready();
  return { app, deps };
}
const ownWaiters = (limits?: Parameters<typeof createWaiters>[1]) =>
  createWaiters(open.use(openJobFeed(service.config.mongo)), limits);

describe('GET /v1/jobs/{id} with Prefer: wait', () => {
  test('is answered when the job ends, whatever process has ended it, with what a GET then reads', async () => {
    const jobId = await accept();
    const waiting = [get(jobId, WAIT), get(jobId.toUpperCase(), { prefer: 'respond-async, Wait="3600"; x' })];
    await untilWaiting(2);
    await others.jobs.complete(jobId, RESULT);
    const plain = await get(jobId);
    for (const answer of await Promise.all(waiting)) {
      expect([answer.statusCode, answer.headers['preference-applied']]).toEqual([200, 'wait=60']);
      expect(answer.headers).not.toHaveProperty('retry-after');
      expect(answer.body).toBe(plain.body);
    }
    expect(plain.json()).toMatchObject({ status: 'completed', result_urls: [expect.any(String)] });
    await untilWaiting(0);
  });

  test('is answered with the failure and the refund of a job that is cancelled', async () => {
    const jobId = await accept();
    const waiting = get(jobId, WAIT);
    await untilWaiting();
    const url = `/api/v1/jobs/${jobId}/cancel`;
    const cancelled = await service.app.inject({ method: 'POST', url, headers: client.headers });
    expect((await waiting).json()).toEqual(cancelled.json());
    expect((await waiting).json()).toMatchObject({ refunded: true, failure: { reason: 'cancelled' } });
  });

  test('is answered as it stands when the time is up, with Retry-After', async () => {
    const answer = await get(await accept(), { prefer: 'wait=1' });
    expect(answer.json()).toMatchObject({ status: 'processing' });
    expect(answer.headers).toMatchObject({ 'preference-applied': 'wait=1' });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(30);
  });

  test('is answered at once when the job has ended', async () => {
    const jobId = await accept();
    await others.jobs.complete(jobId, RESULT);
    const answer = await get(jobId, WAIT);
    expect(answer.json()).toMatchObject({ status: 'completed' });
    expect(answer.headers).toMatchObject({ 'preference-applied': 'wait=60' });
  });

  test.each(['respond-async', 'wait=0', 'wait=ten', 'wait=ten, wait=5', ''])(
    'does not wait with %j, and says when to ask again',
    async (prefer) => {
      const { headers, body } = await get(await accept(), { prefer });
      expect(JSON.parse(body)).toMatchObject({ status: 'processing' });
      expect(headers).not.toHaveProperty('preference-applied');
      expect(headers).toHaveProperty('retry-after');
    },
  );

  test('without the header nothing is new', async () => {
    const { headers } = await get(await accept());
    expect(headers).not.toHaveProperty('preference-applied');
    expect(headers).not.toHaveProperty('retry-after');
  });

  test('a foreign, unknown or malformed id is 404 at once, and so is a job that is voided meanwhile', async () => {
    const jobId = await accept();
    const other = await service.client();
    for (const answer of [await get(jobId, { ...WAIT, ...other.headers }), await get(randomUUID(), WAIT)])
      expectError(answer, 'job_not_found', service.config.api.publicUrl);
    expect(outcome(await get('x', WAIT))).toBe(error('job_not_found'));
    const waiting = get(jobId, WAIT);
    await untilWaiting();
    await others.jobs.void(jobId, jobId);
    expectError(await waiting, 'job_not_found', service.config.api.publicUrl);
  });

  test('is answered at once, without the preference, when too many requests wait', async () => {
    const waiters = ownWaiters({ requests: 3, accountRequests: 1 });
    const { app, deps } = await appWith({ waiters });
    const [jobId, other] = [await accept(), await accept()];
    const waiting = get(jobId, WAIT, app);
    await untilWaiting(1, deps);
    const answer = await get(other, WAIT, app);
    expect(answer.json()).toMatchObject({ status: 'processing' });
    expect(answer.headers).not.toHaveProperty('preference-applied');
    await others.jobs.complete(jobId, RESULT);
    expect((await waiting).json()).toMatchObject({ status: 'completed' });
  });

  test('is answered at once when the API shuts down', async () => {
    const { app, deps } = await appWith({ waiters: ownWaiters() });
    const waiting = [get(await accept(), WAIT, app), post(WAIT, undefined, app)];
    await untilWaiting(2, deps);
    await app.close();
    for (const answer of await Promise.all(waiting)) expect(answer.json().status).toBe('processing');
  });
});

describe('POST /v1/jobs with Prefer: wait', () => {
  test('is answered with the job that has ended, as a replay is', async () => {
    const warned = { ...body, options: { colour: 'blue' } };
    const send = (headers: Record<string, string>) => post(headers, 'waits', service.app, warned);
    const waiting = send(WAIT);
    await untilWaiting();
    await others.jobs.complete(await processing(), RESULT);
    const answer = await waiting;
    expect([answer.statusCode, answer.headers['preference-applied']]).toEqual([201, 'wait=60']);
    expect(Value.Check(JobReplayed, answer.json())).toBe(true);
    expect(answer.json()).toMatchObject({
      status: 'completed',
      idempotency_key: 'waits',
      warnings: [{ code: 'option_ignored', option: 'colour' }],
    });
    const replays = [await send({}), await send(WAIT)];
    expect(replays.map((replay) => replay.body)).toEqual([answer.body, answer.body]);
  });

  test('is answered as without it when the time is up, and a replay waits as well', async () => {
    const answer = await post({ prefer: 'wait=1' }, 'over');
    expect([answer.statusCode, answer.headers['preference-applied']]).toEqual([201, 'wait=1']);
    expect(Value.Check(JobCreated, answer.json())).toBe(true);
    const { job_id } = answer.json();
    expect(answer.json()).toEqual({ job_id, status: 'processing', images_charged: 1, warnings: [] });
    const replay = post(WAIT, 'over');
    await untilWaiting();
    await others.jobs.complete(job_id, RESULT);
    expect((await replay).json()).toMatchObject({ job_id, status: 'completed', warnings: [] });
  });

  test('holds nothing of its body and of the limits while it waits', async () => {
    const { bytes, acceptances } = service.deps.limits;
    const waiting = post(WAIT);
    await untilWaiting();
    expect([bytes.held, acceptances.held]).toEqual([0, 0]);
    await others.jobs.complete(await processing(), RESULT);
    await waiting;
  });

  test('is answered 201 and stays charged when the job cannot be read after it was accepted', async () => {
    const { stores } = service;
    const find = async () => {
      throw new Error('MongoDB is away.');
    };
    const { app } = await appWith({ stores: { ...stores, jobs: { ...stores.jobs, find } } });
    const answer = await post(WAIT, undefined, app);
    expect([answer.statusCode, answer.json().status]).toEqual([201, 'processing']);
    expect((await stores.accounts.get(client.accountId)).balance).toBe(49);
  });

  test('is answered 404 when its job is voided meanwhile', async () => {
    const waiting = post(WAIT);
    await untilWaiting();
    const jobId = await processing();
    await others.jobs.void(jobId, jobId);
    expect(outcome(await waiting)).toBe(error('job_not_found'));
  });

  test('is rejected, or priced by a dry run, at once', async () => {
    const dry = await service.app.inject({
      method: 'POST',
      url: '/api/v1/jobs?dry_run=true',
      headers: { ...client.headers, ...WAIT },
      payload: body,
    });
    expect([dry.statusCode, dry.json().valid]).toEqual([200, true]);
    const bad = await postJob(service.app, { ...client.headers, ...WAIT }, { ...body, tool: 'nothing' });
    expect(outcome(bad)).toBe(error('invalid_tool'));
    for (const { headers } of [dry, bad]) expect(headers).not.toHaveProperty('preference-applied');
  });
});
