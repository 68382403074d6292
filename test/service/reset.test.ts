import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GeneratorError } from '../../generators/errors.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { blockedRender, scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import type { Receiver } from '../setup/receiver.ts';
import type { Service } from '../setup/service.ts';
import { clientWith, openWithReceiver } from '../setup/webhooks.ts';

const open = closers();
const held = blockedRender();
const generators = scriptedGenerators({
  pool: held.render,
  'pool-removal': async () => {
    throw new GeneratorError({ kind: 'refused', reason: 'no_result' }, 'The model made no image.');
  },
});
let receiver: Receiver;
let service: Service;
let image_base64: string;

beforeAll(async () => {
  ({ receiver, service } = await openWithReceiver(open));
  image_base64 = await sampleImage();
  open.use(await service.startWorker({ generators }));
  open.defer(async () => held.release());
});
afterAll(() => open.close());

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
type EventId = NonNullable<NonNullable<History['events']>[number]['eventId']>;

type Point = { workflowId: string; runId: string; eventId: EventId };

/** A reset as an operator does it in the Temporal UI. */
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

/** Events to which the workflow can be reset: its completed workflow tasks. */
async function resetPoints(workflowId: string): Promise<Point[]> {
  const handle = service.temporal.workflow.getHandle(workflowId);
  const [{ runId }, { events }] = await Promise.all([handle.describe(), handle.fetchHistory()]);
  return (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: completed, eventId }) =>
    completed && eventId ? [{ workflowId, runId, eventId }] : [],
  );
}

async function create(tool: string) {
  const client = await clientWith(service, receiver.url);
  const created = await postJob(service.app, client.headers, { tool, image_base64 });
  expect(created.statusCode).toBe(201);
  const jobId: string = created.json().job_id;
  return { ...client, jobId, workflowId: `job:${jobId}` };
}

/** The job, its ledger rows and its webhook exist exactly once. */
async function expectOnce({ accountId, jobId }: { accountId: string; jobId: string }, rows: string[]) {
  const ledger = (await service.stores.ledger.list(accountId)).filter((row) => row.jobId !== null);
  expect(ledger.map(({ id }) => id)).toEqual(rows.map((kind) => `${kind}:${jobId}`));
  expect((await service.stores.jobs.list(accountId, 10)).map(({ id }) => id)).toEqual([jobId]);
  expect(await service.stores.ledger.audit(accountId)).toEqual([]);
  expect(receiver.receivedFor(jobId)).toHaveLength(1);
}

test.each([
  { status: 'completed', tool: 'declutter', rows: ['charge'] },
  { status: 'failed', tool: 'pool-removal', rows: ['charge', 'refund'] },
])(
  'resetting the workflow of a $status job after its end, to any point, does not change the job',
  async ({ status, tool, rows }) => {
    const job = await create(tool);
    const original = await ended(service.app, job.headers, job.jobId);
    expect(original.status).toBe(status);
    await service.temporal.workflow.getHandle(job.workflowId).result();
    const points = await resetPoints(job.workflowId);
    expect(points.length).toBeGreaterThan(1);
    for (const point of points) {
      await reset(point);
      await service.temporal.workflow.getHandle(job.workflowId).result();
      expect(await ended(service.app, job.headers, job.jobId)).toEqual(original);
      await expectOnce(job, rows);
    }
  },
);

test('a workflow that is reset while its image is rendered completes the job, charged once', async () => {
  const job = await create('pool');
  const first = await eventually(async () => {
    const [point] = await resetPoints(job.workflowId);
    if (point === undefined) throw new Error('No workflow task has completed.');
    return point;
  });
  await reset(first);
  held.release();
  const done = await ended(service.app, job.headers, job.jobId);
  expect(done.status).toBe('completed');
  await service.temporal.workflow.getHandle(job.workflowId).result();
  await expectOnce(job, ['charge']);
});
