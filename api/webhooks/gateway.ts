import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { DeliveryRecord } from '../../lib/domain/records.ts';
import { startWorkflow } from '../../lib/process/temporal-client.ts';
import type { TaskQueues } from '../../lib/protocol/task-queues.ts';
import { redeliveryStart, testEventStart } from '../../lib/protocol/webhooks.ts';

/** Deadline of a call to Temporal. */
const START_TIMEOUT_MS = 5000;

/**
 * Starts the workflows that deliver webhooks at a client's request. Both reject unless Temporal
 * confirms in time. The workflow may still have been started, or start later.
 */
export interface WebhookGateway {
  /**
   * Delivers in a new cycle, unless the delivery is in another cycle by then.
   * @returns false if a redelivery of it is running
   */
  redeliver(delivery: Pick<DeliveryRecord, 'id' | 'accountId' | 'cycle'>, cycle: string): Promise<boolean>;
  /** Delivers a test event, and puts it in the log. */
  sendTest(delivery: Pick<DeliveryRecord, 'id' | 'accountId'>): Promise<void>;
}

export function createWebhookGateway(client: Client, queues: TaskQueues): WebhookGateway {
  return {
    async redeliver(delivery, cycle) {
      const start = redeliveryStart(delivery, queues, { cycle, after: delivery.cycle });
      try {
        await startWorkflow(client, start, START_TIMEOUT_MS);
        return true;
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
        throw error;
      }
    },
    async sendTest(delivery) {
      await startWorkflow(client, testEventStart(delivery, queues), START_TIMEOUT_MS);
    },
  };
}
