import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Config } from '../../config.ts';
import { taskQueues } from '../../protocol/task-queues.ts';
import { openTemporal } from '../../runtime/temporal-client.ts';

/** A workflow closes in a moment after its job or webhook has ended, if a worker is there. */
const CLOSING_MS = 40_000;

/** The part of a service that knows its workflows. */
type Service = { temporal: Client; config: Config };

/** Ids of the workflows that are running in the task queues with this prefix. Visibility may be a moment late. */
async function runningIn({ workflow }: Client, prefix: string): Promise<string[]> {
  const query = `TaskQueue = "${taskQueues(prefix).jobs}" AND ExecutionStatus = "Running"`;
  const ids: string[] = [];
  for await (const { workflowId } of workflow.list({ query })) ids.push(workflowId);
  return ids;
}

const running = ({ temporal, config }: Service) => runningIn(temporal, config.temporal.taskQueuePrefix);

/** Waits until no workflow is running, or only those are that wait for something other than a worker. */
export async function untilNoneRuns(service: Service): Promise<void> {
  const deadline = Date.now() + CLOSING_MS;
  while ((await running(service)).length > 0 && Date.now() < deadline) await delay(50);
}

/** Ends the workflows that a file leaves open on purpose. */
export async function terminateWorkflows(service: Service): Promise<void> {
  const ids = await running(service);
  // Some may have ended by themselves since then; the leak check names those that have not.
  await Promise.allSettled(ids.map((id) => service.temporal.workflow.getHandle(id).terminate()));
}

/** Descriptions of the workflows that the tests of a file have left running. */
export async function leftRunning(config: Config['temporal'], prefix: string): Promise<string[]> {
  await using temporal = openTemporal(config);
  return (await runningIn(temporal.client, prefix)).map((id) => `workflow ${id}`);
}
