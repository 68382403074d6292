import type { TaskQueues } from './task-queues.ts';

/** Workflow types of a redelivery and of a test event. */
export const REDELIVERY_WORKFLOW = 'redeliveryWorkflow';
export const TEST_EVENT_WORKFLOW = 'testEventWorkflow';

export interface DeliveryInput {
  deliveryId: string;
  accountId: string;
  queues: TaskQueues;
  /** The cycle that a redelivery starts, if whoever requests it wants to follow it. */
  cycle?: string;
}
