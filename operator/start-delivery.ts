import { randomUUID } from 'node:crypto';
import type { Client, WorkflowStartOptions } from '@temporalio/client';
import type { DeliveryRecord } from '../domain/records.ts';
import { ACCOUNT_ID } from '../protocol/search-attributes.ts';
import type { TaskQueues } from '../protocol/task-queues.ts';
import { type DeliveryInput, REDELIVERY_WORKFLOW, TEST_EVENT_WORKFLOW } from '../protocol/webhooks.ts';
import { redeliveryWorkflowId, testEventWorkflowId } from '../protocol/workflow-ids.ts';

/** Deadline of the call to Temporal. */
const START_TIMEOUT_MS = 10_000;

type WhileRunning = NonNullable<WorkflowStartOptions['workflowIdConflictPolicy']>;
type Delivery = Pick<DeliveryRecord, 'id' | 'accountId'>;

/**
 * Starts a new cycle of attempts for a delivery, under the same webhook-id. It replaces a cycle that is still running,
 * whether of the job or of an earlier redelivery.
 * @param cycle a new id for the cycle
 * @param whileRunning FAIL: @throws WorkflowExecutionAlreadyStartedError instead of replacing an earlier redelivery
 * @returns the id of the workflow
 */
export function redeliver(
  client: Client,
  queues: TaskQueues,
  { id, accountId }: Delivery,
  cycle: string = randomUUID(),
  whileRunning: WhileRunning = 'TERMINATE_EXISTING',
): Promise<string> {
  const input = { deliveryId: id, accountId, queues, cycle };
  return start(client, REDELIVERY_WORKFLOW, redeliveryWorkflowId(id), input, whileRunning);
}

/** Sends a test event to the account's endpoint, even when it is disabled. @returns the delivery's id */
export async function sendTest(client: Client, queues: TaskQueues, accountId: string): Promise<string> {
  const id = `msg_${randomUUID().replaceAll('-', '')}`;
  const input = { deliveryId: id, accountId, queues };
  await start(client, TEST_EVENT_WORKFLOW, testEventWorkflowId(id), input, 'FAIL');
  return id;
}

async function start(
  client: Client,
  type: string,
  workflowId: string,
  input: DeliveryInput,
  workflowIdConflictPolicy: WhileRunning,
): Promise<string> {
  const { deliveryId, accountId, queues } = input;
  await client.withDeadline(Date.now() + START_TIMEOUT_MS, () =>
    client.workflow.start(type, {
      workflowId,
      taskQueue: queues.jobs,
      args: [input],
      workflowIdConflictPolicy,
      staticSummary: `webhook ${deliveryId}`,
      priority: { fairnessKey: accountId },
      typedSearchAttributes: [{ key: ACCOUNT_ID, value: accountId }],
    }),
  );
  return workflowId;
}
