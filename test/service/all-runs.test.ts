import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSweep, sweepAction } from '../../operator/sweep.ts';
import { collections } from '../../stores/mongo/documents.ts';
import { deleteWorkflow } from '../../temporal.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { type Service, startService } from '../setup/service.ts';

const open = closers();
let service: Service;

beforeAll(async () => {
  service = open.use(await startService());
  open.use(await service.startWorker());
});
afterAll(() => open.close());

/** A workflow id with several runs that have ended, as a key has whose first requests were refused. */
async function workflowWithRuns(count: number) {
  const { workflow } = service.temporal;
  const { workflowType, ...action } = sweepAction(service.config.temporal.taskQueuePrefix);
  const workflowId = `job:${randomUUID()}`;
  const runIds: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const handle = await workflow.start(workflowType, { ...action, workflowId });
    await handle.result();
    runIds.push(handle.firstExecutionRunId);
  }
  await eventually(async () => expect((await listed(workflowId)).sort()).toEqual(runIds.toSorted()));
  return { workflowId, runIds };
}

async function listed(workflowId: string): Promise<string[]> {
  const runs: string[] = [];
  const query = `WorkflowId = "${workflowId}"`;
  for await (const { runId } of service.temporal.workflow.list({ query })) runs.push(runId);
  return runs;
}

/** Temporal deletes once it has caught up with what the ends of the runs left to do. */
async function expectGone(workflowId: string, runIds: readonly string[]): Promise<void> {
  const { workflow } = service.temporal;
  for (const runId of runIds)
    await eventually(
      () => expect(workflow.getHandle(workflowId, runId).fetchHistory()).rejects.toThrow('not found'),
      100_000,
    );
}

test('a workflow is deleted with all its runs', { timeout: 120_000 }, async () => {
  const { workflowId, runIds } = await workflowWithRuns(3);
  await deleteWorkflow(service.temporal, workflowId);
  await expectGone(workflowId, runIds);
  await deleteWorkflow(service.temporal, workflowId);
});

test('the sweep deletes every run of a workflow that is owed', { timeout: 120_000 }, async () => {
  const { workflowId, runIds } = await workflowWithRuns(2);
  // The latest one went at once, as by a DELETE; the earlier one is left.
  const { workflowService, options } = service.temporal;
  const workflowExecution = { workflowId, runId: runIds[1] ?? '' };
  await workflowService.deleteWorkflowExecution({ namespace: options.namespace, workflowExecution });
  await expectGone(workflowId, runIds.slice(1));
  const { histories } = collections(service.mongo.db);
  await histories.insertOne({ _id: workflowId, since: new Date() });
  const sweep = await startSweep(service.temporal, service.config.temporal.taskQueuePrefix);
  const counts = await service.temporal.workflow.getHandle(sweep.workflowId).result();
  expect(counts).toMatchObject({ forgotten: 1, failed: 0 });
  expect(await histories.countDocuments()).toBe(0);
  await expectGone(workflowId, runIds);
});
