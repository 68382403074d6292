import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';

const POLL_MS = 20;

/** The number of completed workflows of the queue. */
export async function countClosed(temporal: Client, queue: string): Promise<number> {
  const query = `TaskQueue = '${queue}' AND ExecutionStatus = 'Completed'`;
  return (await temporal.workflow.count(query)).count;
}

/** Waits until no workflow of the queue is running. */
export async function untilIdle(temporal: Client, queue: string): Promise<void> {
  const query = `TaskQueue = '${queue}' AND ExecutionStatus = 'Running'`;
  while ((await temporal.workflow.count(query)).count > 0) await delay(POLL_MS);
}

/** Waits until so many workflows of the queue have completed. Counting them costs the server processor time. */
export async function untilClosed(
  temporal: Client,
  queue: string,
  count: number,
  pollMs = POLL_MS,
): Promise<void> {
  while ((await countClosed(temporal, queue)) < count) await delay(pollMs);
}
