import { randomUUID } from 'node:crypto';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createRateLimits } from '../../api/http/rate-limit.ts';
import { FAILED_JOBS } from '../../lib/contract/limits.ts';
import { Job } from '../../lib/contract/schemas.ts';
import { CANCELLED_JOB } from '../../lib/domain/job-errors.ts';
import { postJob } from '../setup/client.ts';
import { sampleImage } from '../setup/images.ts';
import { draftOf } from '../setup/records.ts';
import { type Service, startService } from '../setup/service.ts';
import { storingGateway } from './gateway.ts';
import { error, expectError, outcome } from './responses.ts';

let service: Service;
let client: Awaited<ReturnType<Service['client']>>;
let body: object;
/** Workflows that were told of a cancellation. */
const notified: string[] = [];
/** Runs when a job is accepted, before its request is answered. */
let onAccepted: (jobId: string) => Promise<unknown> = async () => {};

beforeAll(async () => {
  const gateway = storingGateway({ accept: (draft) => service.stores.jobs.accept(draft) });
  service = await startService({
    api: {
      rateLimits: createRateLimits({ prefix: '/api/v1' }),
      jobGateway: {
        ...gateway,
        async accept(request, withinMs) {
          const accepted = await gateway.accept(request, withinMs);
          await onAccepted(request.draft.jobId);
          return accepted;
        },
        notifyCancelled: async ({ id }) => {
          notified.push(id);
        },
      },
    },
  });
  body = { tool: 'pool', image_base64: await sampleImage() };
});
beforeEach(async () => {
  client = await service.client();
  onAccepted = async () => {};
  notified.length = 0;
});
afterAll(() => service?.[Symbol.asyncDispose]());

const cancel = (jobId: string, headers: Record<string, string> = client.headers, payload?: string) =>
  service.app.inject({
    method: 'POST',
    url: `/api/v1/jobs/${jobId}/cancel`,
    headers,
    ...(payload === undefined ? {} : { payload }),
  });
const read = (jobId: string) => service.app.inject({ url: `/api/v1/jobs/${jobId}`, headers: client.headers });
const balance = async () => (await service.stores.accounts.get(client.accountId)).balance;

async function accept(): Promise<string> {
  const draft = draftOf(client);
  await service.stores.jobs.accept(draft);
  return draft.jobId;
}

test('a job that no generator was asked for fails and is refunded, and the request can be repeated', async () => {
  const jobId = await accept();
  const first = await cancel(jobId.toUpperCase());
  expect(first.statusCode).toBe(200);
  expect(Value.Check(Job, first.json())).toBe(true);
  expect(first.json()).toMatchObject({
    job_id: jobId,
    status: 'failed',
    error: CANCELLED_JOB.error,
    images_charged: 1,
    refunded: true,
    failure: { reason: 'cancelled', retryable: true },
    completed_at: expect.any(String),
    processing_ms: null,
  });
  expect((await cancel(jobId)).body).toBe(first.body);
  expect((await read(jobId)).body).toBe(first.body);
  expect(await balance()).toBe(50);
  expect(notified).toEqual([jobId]);
});

test('a job that a generator renders gets 409 and stays as it is; one that has completed is returned', async () => {
  const jobId = await accept();
  await service.stores.generatorCalls.beginLocal(jobId);
  expectError(await cancel(jobId), 'job_in_progress', service.config.api.publicUrl);
  expect((await read(jobId)).json()).toMatchObject({ status: 'processing', refunded: false });
  await service.stores.jobs.complete(jobId, { results: [], processingMs: 1 });
  expect((await cancel(jobId)).json()).toMatchObject({ status: 'completed', failure: null });
  expect([await balance(), notified]).toEqual([49, []]);
});

test('a foreign, unknown, deleted or malformed id is 404, with one answer', async () => {
  const jobId = await accept();
  const other = await service.client();
  const deleted = await accept();
  await cancel(deleted);
  await service.stores.jobs.remove([deleted]);
  const answers = [await cancel(jobId, other.headers), await cancel(deleted)];
  for (const id of [randomUUID(), 'x', '%00', '..', 'x'.repeat(5000)]) answers.push(await cancel(id));
  for (const answer of answers) {
    expect(outcome(answer)).toBe(answer === answers[5] ? error('not_found') : error('job_not_found'));
    if (answer !== answers[5]) expect(answer.body).toBe(answers[0]?.body);
  }
  expect((await read(jobId)).json().status).toBe('processing');
});

test('a body is ignored, another method refused, and the limit is that of deletions', async () => {
  const jobId = await accept();
  const json = { ...client.headers, 'content-type': 'application/json' };
  const response = await cancel(jobId, json, '{"not json');
  expect([response.statusCode, response.headers['ratelimit-policy']]).toEqual([
    200,
    expect.stringContaining('"delete-job"'),
  ]);
  const got = await service.app.inject({ url: `/api/v1/jobs/${jobId}/cancel`, headers: client.headers });
  expect([outcome(got), got.headers.allow]).toEqual([error('method_not_allowed'), 'POST']);
  expect(outcome(await cancel(jobId, {}))).toBe(error('invalid_api_key'));
});

test('a job can be cancelled before its POST is answered, and a replay returns it', async () => {
  onAccepted = cancel;
  const created = await postJob(service.app, client.headers, body, 'early');
  expect([created.statusCode, created.json().status]).toEqual([201, 'processing']);
  const job = (await read(created.json().job_id)).json();
  expect(job).toMatchObject({ status: 'failed', failure: { reason: 'cancelled' } });
  const replay = await postJob(service.app, client.headers, body, 'early');
  expect([replay.statusCode, replay.json()]).toEqual([201, { ...job, warnings: [] }]);
  expect(await balance()).toBe(50);
});

test('cancelled jobs count among those that an account may have fail in an hour', async () => {
  for (let n = 0; n < FAILED_JOBS.account; n += 1)
    await service.stores.jobs.cancel(client.accountId, await accept(), {
      ...CANCELLED_JOB,
      processingMs: null,
    });
  const refused = await postJob(service.app, client.headers, body);
  expect(outcome(refused)).toBe(error('rate_limited'));
  expect(refused.json().error.message).toContain('were cancelled');
  expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);
});
