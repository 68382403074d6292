import { setTimeout as delay } from 'node:timers/promises';
import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import type { Config } from '../../lib/process/config/config.ts';
import { openTemporal } from '../../lib/process/temporal-client.ts';
import { reconcileScheduleId, retentionScheduleId } from '../../lib/protocol/schedules.ts';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import type { Mongo } from '../../lib/stores/mongo/client.ts';
import { collections } from '../../lib/stores/mongo/documents.ts';

/** With a worker, a workflow closes a moment after its job or webhook. Rendering has the lowest priority. */
const CLOSING_MS = 90_000;
const VISIBLE_AFTER_MS = 15_000;

/** The part of a service that knows its workflows. */
type Service = { temporal: Client; config: Config; mongo: Mongo };

/** Ids of the workflows that are running in the task queues with this prefix. Visibility may be a moment late. */
async function runningIn({ workflow }: Client, prefix: string): Promise<string[]> {
  const query = `TaskQueue = "${taskQueues(prefix).jobs}" AND ExecutionStatus = "Running"`;
  const ids: string[] = [];
  for await (const { workflowId } of workflow.list({ query })) ids.push(workflowId);
  return ids;
}

const running = ({ temporal, config }: Omit<Service, 'mongo'>) =>
  runningIn(temporal, config.temporal.taskQueuePrefix);

/** Visibility may not list the youngest workflows yet. */
async function recentJobs({ mongo }: Service): Promise<string[]> {
  const createdAt = { $gt: new Date(Date.now() - VISIBLE_AFTER_MS) };
  const jobs = await collections(mongo.db).jobs.find({ createdAt }).project({ workflowId: 1 }).toArray();
  return jobs.map(({ workflowId }) => String(workflowId));
}

/** Waits until no workflow is running, or only those are that wait for something other than a worker. */
export async function untilNoneRuns(service: Service): Promise<void> {
  const deadline = Date.now() + CLOSING_MS;
  const handles = (await recentJobs(service)).map((id) => service.temporal.workflow.getHandle(id));
  const timer = new AbortController();
  const late = delay(CLOSING_MS, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([late, Promise.allSettled(handles.map((handle) => handle.result()))]);
  timer.abort();
  while ((await running(service)).length > 0 && Date.now() < deadline) await delay(100);
}

/** Ends the workflows that a file leaves open on purpose. */
export async function terminateWorkflows(service: Omit<Service, 'mongo'>): Promise<void> {
  const ids = await running(service);
  // Some may have ended by themselves since then; the leak check names those that have not.
  await Promise.allSettled(ids.map((id) => service.temporal.workflow.getHandle(id).terminate()));
}

/** Deletes the schedules that workers or setup have ensured, which would go on starting workflows. */
async function deleteSchedules({ schedule }: Client, prefix: string): Promise<void> {
  for (const id of [reconcileScheduleId(prefix), retentionScheduleId(prefix)])
    await schedule
      .getHandle(id)
      .delete()
      .catch((error: unknown) => {
        if (!(error instanceof ScheduleNotFoundError)) throw error;
      });
}

/** Descriptions of the workflows that the tests of a file have left running. */
export async function leftRunning(config: Config['temporal'], prefix: string): Promise<string[]> {
  await using temporal = openTemporal(config);
  await deleteSchedules(temporal.client, prefix);
  return (await runningIn(temporal.client, prefix)).map((id) => `workflow ${id}`);
}
