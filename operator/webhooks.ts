import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { redeliveryWorkflowId, testEventWorkflowId } from '../contract/workflow-ids.ts';
import type { DeliveryRecord } from '../stores/records.ts';
import {
  ACCOUNT_ID,
  type DeliveryInput,
  REDELIVERY_WORKFLOW,
  type TaskQueues,
  TEST_EVENT_WORKFLOW,
} from '../workflows/messages.ts';

/** How far past the call Temporal is waited for. */
const START_TIMEOUT_MS = 10_000;

type Delivery = Pick<DeliveryRecord, 'id' | 'accountId'>;

/**
 * Has a delivery made once more, now, with all attempts ahead of it; the receiver sees the same webhook-id. One that
 * is still under way, by its job or by an earlier redelivery, is taken over. @returns the id of the workflow
 */
export function redeliver(client: Client, queues: TaskQueues, delivery: Delivery): Promise<string> {
  return start(client, REDELIVERY_WORKFLOW, redeliveryWorkflowId(delivery.id), delivery, queues);
}

/** Has a test event sent to the account's endpoint, also to one that is disabled. @returns the delivery's id */
export async function sendTest(client: Client, queues: TaskQueues, accountId: string): Promise<string> {
  const id = `msg_${randomUUID().replaceAll('-', '')}`;
  await start(client, TEST_EVENT_WORKFLOW, testEventWorkflowId(id), { id, accountId }, queues);
  return id;
}

async function start(
  client: Client,
  type: string,
  workflowId: string,
  { id, accountId }: Delivery,
  queues: TaskQueues,
): Promise<string> {
  const input: DeliveryInput = { deliveryId: id, accountId, queues };
  await client.withDeadline(Date.now() + START_TIMEOUT_MS, () =>
    client.workflow.start(type, {
      workflowId,
      taskQueue: queues.jobs,
      args: [input],
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
      staticSummary: `webhook ${id}`,
      priority: { fairnessKey: accountId },
      typedSearchAttributes: [{ key: ACCOUNT_ID, value: accountId }],
    }),
  );
  return workflowId;
}
