import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteWorkflow } from '../../lib/process/temporal-client.ts';
import { retentionAction } from '../../lib/protocol/retention.ts';
import { collections } from '../../lib/stores/mongo/documents.ts';
import { startRetention } from '../../operator/runs.ts';
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

/** A workflow id with several closed runs, like that of an idempotency key whose first requests were refused. */
async function workflowWithRuns(count: number) {
  const { workflow } = service.temporal;
  const { workflowType, ...action } = retentionAction(service.config.temporal.taskQueuePrefix);
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

/** Temporal deletes in the background, after the tasks that the ends of the runs have queued. */
async function expectDeleted(workflowId: string, runIds: readonly string[]): Promise<void> {
  const { workflow } = service.temporal;
  for (const runId of runIds)
    await eventually(
      () => expect(workflow.getHandle(workflowId, runId).fetchHistory()).rejects.toThrow('not found'),
      100_000,
    );
}

test('deleting a workflow deletes all its runs', { timeout: 120_000 }, async () => {
  const { workflowId, runIds } = await workflowWithRuns(3);
  await deleteWorkflow(service.temporal, workflowId);
  await expectDeleted(workflowId, runIds);
  await deleteWorkflow(service.temporal, workflowId);
});

test('the retention workflow deletes every run of a queued workflow', { timeout: 120_000 }, async () => {
  const { workflowId, runIds } = await workflowWithRuns(2);
  // The latest run is already deleted, as by a DELETE; the earlier one is left.
  const { workflowService, options } = service.temporal;
  const workflowExecution = { workflowId, runId: runIds[1] ?? '' };
  await workflowService.deleteWorkflowExecution({ namespace: options.namespace, workflowExecution });
  await expectDeleted(workflowId, runIds.slice(1));
  const { histories } = collections(service.mongo.db);
  await histories.insertOne({ _id: workflowId, since: new Date() });
  const retention = await startRetention(service.temporal, service.config.temporal.taskQueuePrefix);
  const counts = await service.temporal.workflow.getHandle(retention.workflowId).result();
  expect(counts).toMatchObject({ historiesDeleted: 1, failed: 0 });
  expect(await histories.countDocuments()).toBe(0);
  await expectDeleted(workflowId, runIds);
});
