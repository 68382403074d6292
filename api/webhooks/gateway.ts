import type { Client } from '@temporalio/client';
import type { DeliveryRecord } from '../../domain/records.ts';
import type { TaskQueues } from '../../protocol/task-queues.ts';
import { redeliveryStart, testEventStart } from '../../protocol/webhooks.ts';
import { startWorkflow } from '../../runtime/temporal-client.ts';

/** Deadline of a call to Temporal. */
const START_TIMEOUT_MS = 5000;

type Delivery = Pick<DeliveryRecord, 'id' | 'accountId' | 'cycle'>;

/** Starts the workflows that deliver webhooks at a client's request. Both reject unless Temporal confirms in time. */
export interface WebhookGateway {
  /** Delivers in the delivery's cycle, which must be pending. */
  redeliver(delivery: Delivery): Promise<void>;
  /** Delivers a test event that is in the log. */
  sendTest(delivery: Delivery): Promise<void>;
}

export function createWebhookGateway(client: Client, queues: TaskQueues): WebhookGateway {
  return {
    async redeliver(delivery) {
      await startWorkflow(client, redeliveryStart(delivery, queues, delivery.cycle), START_TIMEOUT_MS);
    },
    async sendTest(delivery) {
      await startWorkflow(client, testEventStart(delivery, queues), START_TIMEOUT_MS);
    },
  };
}
