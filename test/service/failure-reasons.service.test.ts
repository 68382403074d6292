import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GeneratorError, type GeneratorFailure } from '../../lib/generators/errors.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { blockedRender, type Script, scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { type Receiver, verified } from '../setup/receiver.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, openWithReceiver } from '../setup/webhooks.ts';

const open = closers();
const held = blockedRender();
const failing =
  (failure: GeneratorFailure): Script =>
  async () => {
    throw new GeneratorError(failure, 'The upstream failed.');
  };
/** One kind of failure per tool. */
const generators = scriptedGenerators({
  declutter: failing({ kind: 'refused', reason: 'safety' }),
  'roof-replacement': failing({ kind: 'refused', reason: 'no_result' }),
  'lawn-enhancement': failing({ kind: 'refused', reason: 'invalid_input' }),
  'pool-removal': failing({ kind: 'unavailable', retryAfterMs: 5 }),
  'fence-addition': failing({ kind: 'misconfigured' }),
  'pool-addition': failing({ kind: 'exhausted' }),
  pool: held.render,
});

let receiver: Receiver;
let service: Service;
let client: Awaited<ReturnType<typeof clientWith>>;
let image_base64: string;

beforeAll(async () => {
  ({ receiver, service } = await openWithReceiver(open));
  [client, image_base64] = await Promise.all([clientWith(service, receiver.url), sampleImage()]);
  open.use(await service.startWorker({ generators, unavailableMs: 0 }));
  open.defer(held.release);
});
afterAll(() => open.close());

async function post(tool: string, more: object = {}, key?: string): Promise<string> {
  const created = await postJob(service.app, client.headers, { tool, image_base64, ...more }, key);
  expect(created.statusCode).toBe(201);
  return created.json().job_id;
}
const endOf = (jobId: string) => ended(service.app, client.headers, jobId);

describe('a failed job says why, and whether the same request may succeed later', () => {
  test.each([
    ['declutter', { reason: 'safety', retryable: false }],
    ['roof-replacement', { reason: 'no_result', retryable: true }],
    ['lawn-enhancement', { reason: 'invalid_input', retryable: false }],
    ['pool-removal', { reason: 'unavailable', retryable: true }],
    ['fence-addition', { reason: 'unavailable', retryable: true }],
    ['pool-addition', { reason: 'unavailable', retryable: true }],
  ])('%s: %o', async (tool, failure) => {
    expect(await endOf(await post(tool))).toMatchObject({ status: 'failed', refunded: true, failure });
  });

  test('when its image cannot be decoded', async () => {
    const cut = Buffer.from(await sampleImage(640, 480), 'base64')
      .subarray(0, 800)
      .toString('base64');
    const failure = { reason: 'invalid_input', retryable: false };
    expect(await endOf(await post('garage-renovation', { image_base64: cut }))).toMatchObject({ failure });
  });

  test('when it was cancelled', async () => {
    const jobId = await post('pool');
    await service.temporal.workflow.getHandle(`job:${jobId}`).cancel();
    expect(await endOf(jobId)).toMatchObject({ failure: { reason: 'cancelled', retryable: true } });
  });
});

test('the webhook and a replay have the same fields as GET', async () => {
  const jobId = await post('declutter', {}, 'listing-1');
  const job = await endOf(jobId);
  expect(job).toMatchObject({ idempotency_key: 'listing-1', refunded: true });
  const [event] = await eventually(async () => {
    const events = receiver.receivedFor(jobId);
    if (events.length === 0) throw new Error('no webhook yet');
    return events;
  });
  expect(verified(event, client.secret)).toMatchObject({ data: job });
  const replay = await postJob(service.app, client.headers, { tool: 'declutter', image_base64 }, 'listing-1');
  expect(replay.json()).toEqual({ ...job, warnings: [] });
});

test('a completed job has no failure, was not refunded, and has the key that created it or none', async () => {
  const without = await endOf(await post('garage-renovation'));
  expect(without).toMatchObject({
    status: 'completed',
    refunded: false,
    failure: null,
    idempotency_key: null,
  });
  const keyed = await endOf(await post('garage-renovation', {}, 'listing-2'));
  expect(keyed).toMatchObject({ refunded: false, failure: null, idempotency_key: 'listing-2' });
});

test('a deleted job keeps neither its key nor its reason', async () => {
  const jobId = await post('declutter', {}, 'listing-4');
  await endOf(jobId);
  await service.app.inject({ method: 'DELETE', url: `/api/v1/jobs/${jobId}`, headers: client.headers });
  const stored = await service.stores.jobs.get(jobId);
  expect(stored).toMatchObject({ status: 'deleted', idempotencyKey: null });
  expect(stored).not.toHaveProperty('failureReason');
});
