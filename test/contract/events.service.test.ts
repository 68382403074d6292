import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import type { ApiDeps } from '../../api/deps.ts';
import { createRateLimits } from '../../api/http/rate-limit.ts';
import { createWaiters } from '../../api/waiting/waiters.ts';
import type { Job } from '../../lib/contract/schemas.ts';
import { openMongo } from '../../lib/stores/mongo/client.ts';
import { openJobFeed } from '../../lib/stores/mongo/job-feed.ts';
import { createMongoStores } from '../../lib/stores/mongo/stores.ts';
import { closers } from '../setup/closers.ts';
import { draftOf } from '../setup/records.ts';
import { type Service, startService } from '../setup/service.ts';
import { error, expectError, outcome } from './responses.ts';
import { listen } from './wire.ts';

const open = closers();
const RESULT = { results: [{ bucket: 'results' as const, key: 'a/b-pool.jpeg' }], processingMs: 2000 };

let service: Service;
/** The stores of a process that does not know of any waiter. */
let others: Service['stores'];
let client: Awaited<ReturnType<Service['client']>>;
let port: number;

beforeAll(async () => {
  const rateLimits = createRateLimits({ prefix: '/api/v1' });
  service = open.use(await startService({ api: { rateLimits } }));
  others = createMongoStores(open.use(openMongo(service.config.mongo)));
  port = await listen(service.app);
});
beforeEach(async () => {
  client = await service.client();
});
afterAll(() => open.close());

async function accept(): Promise<string> {
  const draft = draftOf(client, { tool: 'pool' });
  await service.stores.jobs.accept(draft);
  return draft.jobId;
}

const url = (jobId: string) => `/api/v1/jobs/${jobId}/events`;
const inject = (jobId: string, headers: Record<string, string> = {}) =>
  service.app.inject({ url: url(jobId), headers: { ...client.headers, ...headers } });

/** An open stream, and all that it has sent so far. */
async function connect(jobId: string, headers: Record<string, string> = {}, at = port) {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const response = await fetch(`http://127.0.0.1:${at}${url(jobId)}`, {
    headers: { ...client.headers, ...headers },
    signal: controller.signal,
  });
  let text = '';
  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  })();
  // A test that disconnects does not await it.
  ended.catch(() => {});
  return { response, ended, received: () => text, disconnect: () => controller.abort() };
}

/** The ids and jobs of the `status` events. */
function statuses(text: string): [id: string, job: Job][] {
  return [...text.matchAll(/^id: (\w+)\nevent: status\ndata: (.*)\n$/gm)].map(([, id = '', data = '']) => [
    id,
    JSON.parse(data),
  ]);
}
const waiting = ({ waiters }: Pick<ApiDeps, 'waiters'> = service.deps) => waiters.counts.events;
const read = async (jobId: string): Promise<Job> =>
  (await service.app.inject({ url: `/api/v1/jobs/${jobId}`, headers: client.headers })).json();

/** The same API with waiters of its own, listening on another port. */
async function ownApp(limits?: Parameters<typeof createWaiters>[1]) {
  const waiters = createWaiters(open.use(openJobFeed(service.config.mongo)), limits);
  const deps = { ...service.deps, waiters };
  const app = open.use(buildApp(deps));
  return { app, deps, port: await listen(app) };
}

test('a stream sends the job as it is and as it ends, whatever process ends it, and then ends', async () => {
  const jobId = await accept();
  const before = await read(jobId);
  const { response, ended, received } = await connect(jobId.toUpperCase());
  expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
    200,
    {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-ratelimit-limit': '300',
      'x-request-id': expect.any(String),
    },
  ]);
  expect(response.headers.has('content-encoding')).toBe(false);
  await expect.poll(received).toContain('event: status');
  expect(received()).toMatch(/^retry: [3-6]\d{3}\n\n/);
  await others.jobs.complete(jobId, RESULT);
  await ended;
  expect(statuses(received())).toEqual([
    ['processing', before],
    ['completed', await read(jobId)],
  ]);
  await expect.poll(() => waiting()).toBe(0);
});

test('a job that has ended is sent once; a client that has received the end is stopped by 204', async () => {
  const jobId = await accept();
  await others.jobs.fail(jobId, { error: 'No.', failureReason: 'no_result', processingMs: 1 });
  for (const lastEventId of ['', 'processing', 'completed', 'x'.repeat(5000)]) {
    const answer = await inject(jobId, { 'last-event-id': lastEventId });
    expect(answer.statusCode).toBe(200);
    expect(statuses(answer.body)).toEqual([['failed', await read(jobId)]]);
  }
  const answer = await inject(jobId, { 'last-event-id': 'failed' });
  expect([answer.statusCode, answer.body, 'content-type' in answer.headers]).toEqual([204, '', false]);
});

test('a client that connects again is not sent the status that it has, and misses no end', async () => {
  const jobId = await accept();
  const first = await connect(jobId);
  await expect.poll(first.received).toContain('id: processing');
  first.disconnect();
  await expect.poll(() => waiting()).toBe(0);
  const again = await connect(jobId, { 'last-event-id': 'processing' });
  await expect.poll(() => waiting()).toBe(1);
  await others.jobs.complete(jobId, RESULT);
  await again.ended;
  expect(statuses(again.received()).map(([id]) => id)).toEqual(['completed']);
});

test('progress is sent once it is known what the tool usually takes', async () => {
  const known = await accept();
  await others.jobs.complete(known, RESULT);
  await read(known);
  const { received } = await connect(await accept());
  await expect.poll(received).toMatch(/\nevent: progress\ndata: \{"elapsed_ms":\d+,"expected_ms":\d+\}\n\n/);
});

test('a foreign, unknown, deleted or malformed id is 404 with the envelope, and takes no permit', async () => {
  const [jobId, deleted] = [await accept(), await accept()];
  await others.jobs.complete(deleted, RESULT);
  await others.jobs.remove([deleted]);
  const other = await service.client();
  const answers = [await inject(jobId, other.headers), await inject(deleted), await inject(randomUUID())];
  for (const answer of answers) expectError(answer, 'job_not_found', service.config.api.publicUrl);
  for (const id of ['x', '%00', 'x'.repeat(5000)])
    expect(outcome(await inject(id))).toBe(error('job_not_found'));
  expect(outcome(await inject(jobId, { 'x-api-key': '' }))).toBe(error('invalid_api_key'));
  await expect.poll(() => waiting()).toBe(0);
});

test('a job that is voided meanwhile ends the stream', async () => {
  const jobId = await accept();
  const { ended, received } = await connect(jobId);
  await expect.poll(received).toContain('id: processing');
  await others.jobs.void(jobId, jobId);
  await ended;
  expect(statuses(received())).toHaveLength(1);
});

test('HEAD has the headers of the stream and waits for nothing; other methods are refused', async () => {
  const jobId = await accept();
  const answer = await service.app.inject({ method: 'HEAD', url: url(jobId), headers: client.headers });
  expect([answer.statusCode, answer.headers['content-type'], answer.body]).toEqual([
    200,
    'text/event-stream',
    '',
  ]);
  expect(waiting()).toBe(0);
  const posted = await service.app.inject({ method: 'POST', url: url(jobId), headers: client.headers });
  expect(outcome(posted)).toBe(error('method_not_allowed'));
});

test('when too many requests of the account wait, the stream ends after the status', async () => {
  const own = await ownApp({ requests: 2, accountRequests: 1 });
  const jobId = await accept();
  const first = await connect(jobId, {}, own.port);
  await expect.poll(() => waiting(own.deps)).toBe(1);
  const second = await connect(jobId, {}, own.port);
  await second.ended;
  expect(second.received()).toMatch(/id: processing\n.*: Connect again\.\n\n$/s);
  first.disconnect();
  await expect.poll(() => waiting(own.deps)).toBe(0);
});

test('a shutdown ends all streams, and a client that connects again misses no end', async () => {
  const own = await ownApp();
  const jobId = await accept();
  const { ended, received } = await connect(jobId, {}, own.port);
  await expect.poll(() => waiting(own.deps)).toBe(1);
  await own.app.close();
  await ended;
  expect(received()).toMatch(/: Connect again\.\n\n$/);
  await others.jobs.complete(jobId, RESULT);
  const again = await inject(jobId, { 'last-event-id': 'processing' });
  expect(statuses(again.body).map(([id]) => id)).toEqual(['completed']);
});
