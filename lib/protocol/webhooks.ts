import type { DeliveryRecord } from '../domain/records.ts';
import { ACCOUNT_ID } from './search-attributes.ts';
import type { TaskQueues } from './task-queues.ts';
import { redeliveryWorkflowId, testEventWorkflowId } from './workflow-ids.ts';

/** Workflow types of a redelivery and of a test event. */
const REDELIVERY_WORKFLOW = 'redeliveryWorkflow';
const TEST_EVENT_WORKFLOW = 'testEventWorkflow';

export interface DeliveryInput {
  deliveryId: string;
  accountId: string;
  queues: TaskQueues;
  /** The cycle that a redelivery starts; set by a caller that wants to follow it. */
  cycle?: string;
  /** The cycle that a redelivery follows. It sends nothing if the delivery is in another cycle. */
  after?: string;
}

/** What a workflow needs to deliver a webhook. */
export interface PendingDelivery {
  deliveryId: string;
  cycle: string;
  accountId: string;
  /** Null for a test event. */
  jobId: string | null;
  target: DeliveryRecord['target'];
  /** Origin of the receiver's URL. The path and query may contain a secret. */
  receiver: string;
  /**
   * Whether an operator or the client requested it. It is then sent even to a disabled endpoint.
   */
  force: boolean;
}

/** Start options of a workflow that delivers a webhook outside its job's workflow. */
const startOf = (type: string, workflowId: string, input: DeliveryInput, replaces = false) => ({
  type,
  options: {
    workflowId,
    taskQueue: input.queues.jobs,
    args: [input],
    workflowIdConflictPolicy: replaces ? ('TERMINATE_EXISTING' as const) : ('FAIL' as const),
    staticSummary: `webhook ${input.deliveryId}`,
    priority: { fairnessKey: input.accountId },
    typedSearchAttributes: [{ key: ACCOUNT_ID, value: input.accountId }],
  },
});

/** The cycle that a redelivery starts, and the cycle that it follows. */
export type Cycles = Pick<DeliveryInput, 'cycle' | 'after'>;

interface Delivery {
  id: string;
  accountId: string;
}

/**
 * A new cycle of attempts for a delivery, under the same webhook-id. It replaces a cycle that is
 * still running, whether of the job or of an earlier redelivery. With `after` it follows that cycle
 * only, and replaces none.
 */
export const redeliveryStart = ({ id, accountId }: Delivery, queues: TaskQueues, cycles: Cycles) =>
  startOf(
    REDELIVERY_WORKFLOW,
    redeliveryWorkflowId(id),
    { deliveryId: id, accountId, queues, ...cycles },
    cycles.after === undefined,
  );

/** A test event to the account's endpoint, even when it is disabled. */
export const testEventStart = ({ id, accountId }: Delivery, queues: TaskQueues) =>
  startOf(TEST_EVENT_WORKFLOW, testEventWorkflowId(id), { deliveryId: id, accountId, queues });
