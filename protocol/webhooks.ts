import { ACCOUNT_ID } from './search-attributes.ts';
import type { TaskQueues } from './task-queues.ts';
import { redeliveryWorkflowId, testEventWorkflowId } from './workflow-ids.ts';

/** Workflow types of a redelivery and of a test event. */
export const REDELIVERY_WORKFLOW = 'redeliveryWorkflow';
export const TEST_EVENT_WORKFLOW = 'testEventWorkflow';

export interface DeliveryInput {
  deliveryId: string;
  accountId: string;
  queues: TaskQueues;
  /** The cycle that a redelivery starts, if whoever requests it wants to follow it. */
  cycle?: string;
  /** The cycle that a redelivery follows: once the delivery has another one, it sends nothing. */
  after?: string;
}

/** What a workflow that delivers a webhook outside its job's workflow is started with. */
const startOf = (type: string, workflowId: string, input: DeliveryInput, whileRunning: WhileRunning) => ({
  type,
  options: {
    workflowId,
    taskQueue: input.queues.jobs,
    args: [input],
    workflowIdConflictPolicy: whileRunning,
    staticSummary: `webhook ${input.deliveryId}`,
    priority: { fairnessKey: input.accountId },
    typedSearchAttributes: [{ key: ACCOUNT_ID, value: input.accountId }],
  },
});

/** What happens to a redelivery of the same event that still runs. */
export type WhileRunning = 'TERMINATE_EXISTING' | 'FAIL';

interface Delivery {
  id: string;
  accountId: string;
}

/**
 * A new cycle of attempts for a delivery, under the same webhook-id. It replaces a cycle that is still running, whether
 * of the job or of an earlier redelivery.
 */
export const redeliveryStart = (
  { id, accountId }: Delivery,
  queues: TaskQueues,
  cycles: Pick<DeliveryInput, 'cycle' | 'after'>,
  whileRunning: WhileRunning = 'TERMINATE_EXISTING',
) =>
  startOf(
    REDELIVERY_WORKFLOW,
    redeliveryWorkflowId(id),
    { deliveryId: id, accountId, queues, ...cycles },
    whileRunning,
  );

/** A test event to the account's endpoint, even when it is disabled. */
export const testEventStart = ({ id, accountId }: Delivery, queues: TaskQueues) =>
  startOf(TEST_EVENT_WORKFLOW, testEventWorkflowId(id), { deliveryId: id, accountId, queues }, 'FAIL');
