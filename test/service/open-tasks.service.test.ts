import { msToTs } from '@temporalio/common/lib/time.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Job } from '../../lib/contract/schemas.ts';
import type { Reply } from '../lib/generators/upstreams/fake.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { sampleImage, sampleJpeg } from '../setup/images.ts';
import { firstResetPoint, reset } from '../setup/reset.ts';
import type { Service } from '../setup/service.ts';
import { openWithUpstreams } from '../setup/upstream-service.ts';
import type { Upstreams } from '../setup/upstreams.ts';

/** A rate limit on looks at a task: the attempt fails, and the task goes on. */
const lookAgainIn = (seconds: number): Reply => ({
  status: 429,
  json: {},
  headers: { 'retry-after': String(seconds) },
});
const REFUNDED = ['grant', 'charge', 'refund'];

const open = closers();
let upstreams: Upstreams;
let service: Service;
let worker: AsyncDisposable;
let image_base64: string;

beforeAll(async () => {
  ({ upstreams, service } = await openWithUpstreams(open, { GENERATORS: 'replicate' }));
  image_base64 = await sampleImage();
});
beforeEach(async () => {
  const replicate = upstreams.of('replicate');
  replicate.returns(await sampleJpeg(64, 48, '#2040a0'));
  replicate.clear();
  // A new one each time: the rate limits of a test would pause the next.
  worker = await service.startWorker();
});
afterEach(async () => {
  upstreams.of('replicate').release();
  await worker?.[Symbol.asyncDispose]();
});
afterAll(() => open.close());

async function start() {
  const client = await service.client();
  const created = await postJob(service.app, client.headers, { tool: 'declutter', image_base64 });
  const jobId = created.json<Job>().job_id;
  return { ...client, jobId, workflow: service.temporal.workflow.getHandle(`job:${jobId}`) };
}
type Started = Awaited<ReturnType<typeof start>>;

const callsOf = ({ jobId }: Started) => service.stores.generatorCalls.list(jobId);

const taskStarted = (job: Started) =>
  vi.waitFor(
    async () => expect(await callsOf(job)).toMatchObject([{ task: { id: 'p1' }, outcome: null }]),
    60_000,
  );

/** Waits until the first attempt has failed, and Temporal waits to retry. */
const betweenAttempts = ({ workflow }: Started) =>
  vi.waitFor(async () => {
    const [render] = (await workflow.describe()).raw.pendingActivities ?? [];
    expect(render).toMatchObject({ attempt: 2, lastFailure: expect.anything() });
  }, 30_000);

/** The job is refunded, and its workflow has ended. @returns the number of events */
async function refunded(job: Started): Promise<number> {
  expect(await ended(service.app, job.headers, job.jobId)).toMatchObject({ status: 'failed' });
  const rows = await service.stores.ledger.list(job.accountId);
  expect(rows.map(({ kind }) => kind)).toEqual(REFUNDED);
  expect(await job.workflow.result()).toEqual({ status: 'failed', jobId: job.jobId });
  return (await job.workflow.fetchHistory()).events?.length ?? 0;
}

async function expectCancelled(job: Started) {
  expect(await callsOf(job)).toMatchObject([{ outcome: 'cancelled', error: null, mayBeCharged: true }]);
  const { submissions, cancellations } = upstreams.of('replicate');
  expect([submissions(), cancellations()]).toEqual([1, 1]);
}

describe('the task of a job that ends without a result is cancelled upstream', () => {
  test('when the job is cancelled between two attempts', async () => {
    upstreams.of('replicate').replies.poll = lookAgainIn(300);
    const job = await start();
    await betweenAttempts(job);
    await job.workflow.cancel();

    await refunded(job);
    await expectCancelled(job);
  });

  test('also when its upstream cannot be reached at first', async () => {
    const { replies } = upstreams.of('replicate');
    replies.poll = lookAgainIn(300);
    const job = await start();
    await betweenAttempts(job);
    replies.cancel = { status: 503 };
    await job.workflow.cancel();
    await vi.waitFor(async () => expect(upstreams.of('replicate').cancellations()).toBe(2), 60_000);
    replies.cancel = { status: 200 };

    await refunded(job);
    expect(await callsOf(job)).toMatchObject([{ outcome: 'cancelled', error: null }]);
  });

  test('when its time runs out', async () => {
    upstreams.of('replicate').hold();
    const job = await start();
    await taskStarted(job);
    const { workflowService, options } = service.temporal;
    await workflowService.updateActivityOptions({
      namespace: options.namespace,
      execution: { workflowId: job.workflow.workflowId },
      type: 'renderJob',
      activityOptions: { scheduleToCloseTimeout: msToTs('1 s') },
      updateMask: { paths: ['scheduleToCloseTimeout'] },
    });

    await refunded(job);
    await expectCancelled(job);
  });

  test('by its last attempt, with no more events than any failed job has', async () => {
    await worker[Symbol.asyncDispose]();
    worker = await service.startWorker({ unavailableMs: 0 });
    upstreams.of('replicate').replies.poll = lookAgainIn(1);
    const job = await start();

    expect(await refunded(job)).toBeLessThanOrEqual(16);
    await expectCancelled(job);
  });
});

describe('a workflow that is reset', () => {
  test('after its job was refunded still cancels the task that could not be cancelled before', async () => {
    const { replies, cancellations } = upstreams.of('replicate');
    replies.poll = lookAgainIn(300);
    const job = await start();
    await betweenAttempts(job);
    replies.cancel = { status: 503 };
    await job.workflow.cancel();
    await vi.waitFor(async () => expect(cancellations()).toBe(1), 60_000);
    replies.cancel = { status: 200 };
    await reset(service.temporal, await firstResetPoint(service.temporal, job.workflow.workflowId));

    await service.temporal.workflow.getHandle(job.workflow.workflowId).result();
    expect(await callsOf(job)).toMatchObject([{ outcome: 'cancelled', error: null }]);
  });

  test('while a prediction runs resumes it', async () => {
    const replicate = upstreams.of('replicate');
    replicate.hold();
    const job = await start();
    await taskStarted(job);
    await reset(service.temporal, await firstResetPoint(service.temporal, job.workflow.workflowId));
    replicate.release();

    expect(await ended(service.app, job.headers, job.jobId)).toMatchObject({ status: 'completed' });
    expect([replicate.submissions(), replicate.cancellations()]).toEqual([1, 0]);
  });

  test('while a prediction is submitted waits for the name of its task', async () => {
    const replicate = upstreams.of('replicate');
    const { submit } = replicate.replies;
    let respond = () => {};
    replicate.replies.submit = (_, response) => {
      respond = () => {
        if (typeof submit !== 'function') response.writeHead(submit.status).end(JSON.stringify(submit.json));
      };
    };
    const job = await start();
    await vi.waitFor(async () => expect(replicate.submissions()).toBe(1), 60_000);
    await reset(service.temporal, await firstResetPoint(service.temporal, job.workflow.workflowId));
    await vi.waitFor(async () => {
      const [render] = (await job.workflow.describe()).raw.pendingActivities ?? [];
      expect(render?.lastFailure?.message).toContain('Another attempt is calling replicate');
    }, 60_000);
    respond();

    expect(await ended(service.app, job.headers, job.jobId)).toMatchObject({ status: 'completed' });
    expect([replicate.submissions(), replicate.cancellations()]).toEqual([1, 0]);
  });
});

test('a task whose result is gone is paid for once more, and then the job is refunded', async () => {
  const replicate = upstreams.of('replicate');
  replicate.replies.result = { status: 404 };
  const job = await start();

  await refunded(job);
  expect(replicate.submissions()).toBe(2);
  const calls = (await callsOf(job)).map(({ mayBeCharged, error }) => [mayBeCharged, error]);
  expect(calls).toEqual(Array.from({ length: 2 }, () => [true, expect.stringContaining('is gone')]));
});
