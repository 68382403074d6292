import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';

const POLL_MS = 20;

/** Runs a request `count` times, `atOnce` at a time. @returns the milliseconds of each */
export async function closedLoop(
  count: number,
  atOnce: number,
  request: (n: number) => Promise<unknown>,
): Promise<number[]> {
  const took: number[] = [];
  let next = 0;
  const loop = async () => {
    while (next < count) {
      const n = next++;
      took.push(await timed(() => request(n)));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  return took;
}

/** Requests per second of such a loop. */
export async function requestsPerSecond(...loop: Parameters<typeof closedLoop>): Promise<number> {
  return (loop[0] * 1000) / (await timed(() => closedLoop(...loop)));
}

/** @returns the milliseconds that the work took */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Runs the work and then waits until the workflows that it has started on the queue have completed.
 * @param pollMs how often they are counted, which costs Temporal processor time
 */
export async function untilCompleted<T>(
  temporal: Client,
  queue: string,
  count: number,
  work: () => Promise<T>,
  pollMs = POLL_MS,
): Promise<T> {
  const completed = () => countWorkflows(temporal, queue, 'Completed');
  const before = await completed();
  const result = await work();
  while ((await completed()) < before + count) await delay(pollMs);
  return result;
}

/** Waits until no workflow of the queue is running. */
export async function untilIdle(temporal: Client, queue: string): Promise<void> {
  while ((await countWorkflows(temporal, queue, 'Running')) > 0) await delay(POLL_MS);
}

async function countWorkflows(temporal: Client, queue: string, status: string): Promise<number> {
  const query = `TaskQueue = '${queue}' AND ExecutionStatus = '${status}'`;
  return (await temporal.workflow.count(query)).count;
}
