import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GeneratorError } from '../../generators/errors.ts';
import { ended, postJob, samplePicture } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { heldRender, scriptedGenerator } from '../setup/generators.ts';
import type { Receiver } from '../setup/receiver.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, openWithReceiver } from '../setup/webhooks.ts';

const open = closers();
const held = heldRender();
const generator = scriptedGenerator({
  pool: held.render,
  'pool-removal': async () => {
    throw new GeneratorError({ kind: 'refused', reason: 'no_result' }, 'The model made no picture.');
  },
});
let receiver: Receiver;
let service: Service;
let image_base64: string;

beforeAll(async () => {
  ({ receiver, service } = await openWithReceiver(open));
  image_base64 = await samplePicture();
  open.use(await service.startWorker({ generator }));
  open.defer(async () => held.release());
});
afterAll(() => open.close());

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
type EventId = NonNullable<NonNullable<History['events']>[number]['eventId']>;

type Point = { workflowId: string; runId: string; eventId: EventId };

/** What an operator does in the Temporal UI. */
async function reset({ workflowId, runId, eventId: workflowTaskFinishEventId }: Point) {
  const { workflowService, options } = service.temporal;
  await workflowService.resetWorkflowExecution({
    namespace: options.namespace,
    workflowExecution: { workflowId, runId },
    reason: 'test',
    workflowTaskFinishEventId,
    requestId: randomUUID(),
  });
}

/** Events to which the workflow can be reset: the end of each of its workflow tasks. */
async function resetPoints(workflowId: string): Promise<Point[]> {
  const handle = service.temporal.workflow.getHandle(workflowId);
  const [{ runId }, { events }] = await Promise.all([handle.describe(), handle.fetchHistory()]);
  return (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: done, eventId }) =>
    done && eventId ? [{ workflowId, runId, eventId }] : [],
  );
}

async function create(tool: string) {
  const client = await clientWith(service, receiver.url);
  const created = await postJob(service.app, client.headers, { tool, image_base64 });
  expect(created.statusCode).toBe(201);
  const jobId: string = created.json().job_id;
  return { ...client, jobId, workflowId: `job:${jobId}` };
}

/** The job, its ledger rows and the webhook that told of it are there once. */
async function expectOnce({ accountId, jobId }: { accountId: string; jobId: string }, rows: string[]) {
  const ledger = (await service.stores.ledger.list(accountId)).filter((row) => row.jobId !== null);
  expect(ledger.map(({ id }) => id)).toEqual(rows.map((kind) => `${kind}:${jobId}`));
  expect((await service.stores.jobs.list(accountId, 10)).map(({ id }) => id)).toEqual([jobId]);
  expect(await service.stores.ledger.audit(accountId)).toEqual([]);
  expect(receiver.received.filter(({ body }) => body.includes(jobId))).toHaveLength(1);
}

test.each([
  { status: 'completed', tool: 'declutter', rows: ['charge'] },
  { status: 'failed', tool: 'pool-removal', rows: ['charge', 'refund'] },
])(
  'the workflow of a $status job that is reset after its end, at any point, leaves the job as it is',
  async ({ status, tool, rows }) => {
    const job = await create(tool);
    const before = await ended(service.app, job.headers, job.jobId);
    expect(before.status).toBe(status);
    await service.temporal.workflow.getHandle(job.workflowId).result();
    const points = await resetPoints(job.workflowId);
    expect(points.length).toBeGreaterThan(1);
    for (const point of points) {
      await reset(point);
      await service.temporal.workflow.getHandle(job.workflowId).result();
      expect(await ended(service.app, job.headers, job.jobId)).toEqual(before);
      await expectOnce(job, rows);
    }
  },
);

test('a workflow that is reset while its image is rendered completes the job, charged once', async () => {
  const job = await create('pool');
  const first = await eventually(async () => {
    const [point] = await resetPoints(job.workflowId);
    if (point === undefined) throw new Error('no workflow task has ended');
    return point;
  });
  await reset(first);
  held.release();
  const done = await ended(service.app, job.headers, job.jobId);
  expect(done.status).toBe('completed');
  await service.temporal.workflow.getHandle(job.workflowId).result();
  await expectOnce(job, ['charge']);
});
