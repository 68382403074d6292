import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { newDeliveryId } from '../domain/delivery.ts';
import type { DeliveryRecord } from '../domain/records.ts';
import type { TaskQueues } from '../protocol/task-queues.ts';
import { redeliveryStart, testEventStart, type WhileRunning } from '../protocol/webhooks.ts';
import { startWorkflow } from '../runtime/temporal-client.ts';

/** Deadline of the call to Temporal. */
const START_TIMEOUT_MS = 10_000;

/**
 * Starts {@link redeliveryStart}.
 * @param cycle a new id for the cycle
 * @param whileRunning FAIL: @throws WorkflowExecutionAlreadyStartedError instead of replacing an earlier redelivery
 * @returns the id of the workflow
 */
export function redeliver(
  client: Client,
  queues: TaskQueues,
  delivery: Pick<DeliveryRecord, 'id' | 'accountId'>,
  cycle: string = randomUUID(),
  whileRunning?: WhileRunning,
): Promise<string> {
  return startWorkflow(client, redeliveryStart(delivery, queues, { cycle }, whileRunning), START_TIMEOUT_MS);
}

/** Starts {@link testEventStart}. @returns the delivery's id */
export async function sendTest(client: Client, queues: TaskQueues, accountId: string): Promise<string> {
  const id = newDeliveryId();
  await startWorkflow(client, testEventStart({ id, accountId }, queues), START_TIMEOUT_MS);
  return id;
}
