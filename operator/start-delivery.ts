import type { Client } from '@temporalio/client';
import { newDeliveryId } from '../lib/domain/delivery.ts';
import type { DeliveryRecord } from '../lib/domain/records.ts';
import { startWorkflow } from '../lib/process/temporal-client.ts';
import type { TaskQueues } from '../lib/protocol/task-queues.ts';
import { type Cycles, redeliveryStart, testEventStart } from '../lib/protocol/webhooks.ts';

/** Deadline of the call to Temporal. */
const START_TIMEOUT_MS = 10_000;

/**
 * Starts {@link redeliveryStart}.
 * @returns the id of the workflow
 * @throws WorkflowExecutionAlreadyStartedError with `after`, if a redelivery is running
 */
export function redeliver(
  client: Client,
  queues: TaskQueues,
  delivery: Pick<DeliveryRecord, 'id' | 'accountId'>,
  cycles: Cycles = {},
): Promise<string> {
  return startWorkflow(client, redeliveryStart(delivery, queues, cycles), START_TIMEOUT_MS);
}

/** Starts {@link testEventStart}. @returns the delivery's id */
export async function sendTest(client: Client, queues: TaskQueues, accountId: string): Promise<string> {
  const id = newDeliveryId();
  await startWorkflow(client, testEventStart({ id, accountId }, queues), START_TIMEOUT_MS);
  return id;
}
