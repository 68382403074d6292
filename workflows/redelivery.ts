import { CancellationScope, proxyActivities, setCurrentDetails, uuid4 } from '@temporalio/workflow';
import type { Activities } from '../activities/activities.ts';
import type { DeliveryOutcome } from '../activities/webhooks/attempt.ts';
import { FAILURES } from '../lib/protocol/failure-types.ts';
import type { TaskQueues } from '../lib/protocol/task-queues.ts';
import type { DeliveryInput, PendingDelivery } from '../lib/protocol/webhooks.ts';
import { notify } from './notify.ts';

const { reopenDelivery, openTestDelivery } = proxyActivities<Activities>({
  startToCloseTimeout: '15 s',
  retry: {
    initialInterval: '1 s',
    backoffCoefficient: 2,
    maximumInterval: '1 m',
    nonRetryableErrorTypes: [FAILURES.NotFound.type],
  },
});

/** Resumes the delivery of a webhook whose workflow was terminated or lost. */
export async function deliveryWorkflow(
  webhook: PendingDelivery,
  queues: TaskQueues,
): Promise<DeliveryOutcome> {
  setCurrentDetails('Resumed by the reconciler: the workflow that was delivering it no longer exists.');
  return runDelivery(queues, webhook);
}

/** Sends the same event again under the same webhook-id, in a new cycle of attempts. */
export async function redeliveryWorkflow(input: DeliveryInput): Promise<DeliveryOutcome> {
  setCurrentDetails('Requested by the client or an operator.');
  const { deliveryId, queues, cycle = uuid4(), after } = input;
  return runDelivery(queues, await reopenDelivery(deliveryId, cycle, after));
}

/** Sends a test event, which belongs to no job, to the account's endpoint, in a single attempt. */
export async function testEventWorkflow(input: DeliveryInput): Promise<DeliveryOutcome> {
  setCurrentDetails('Test event, requested by the client or an operator.');
  return runDelivery(input.queues, await openTestDelivery(input.deliveryId, input.accountId));
}

function runDelivery(queues: TaskQueues, delivery: PendingDelivery): Promise<DeliveryOutcome> {
  const outer = CancellationScope.current();
  return CancellationScope.nonCancellable(() => notify(delivery, queues, outer));
}
