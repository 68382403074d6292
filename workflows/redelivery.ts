import { CancellationScope, proxyActivities, setCurrentDetails, uuid4 } from '@temporalio/workflow';
import type { Activities, DeliveryOutcome, WebhookNotice } from '../activities/activities.ts';
import type { DeliveryInput, TaskQueues } from './messages.ts';
import { notify } from './notify.ts';

const { reopenDelivery, openTestDelivery } = proxyActivities<Activities>({
  startToCloseTimeout: '15 s',
  retry: {
    initialInterval: '1 s',
    backoffCoefficient: 2,
    maximumInterval: '1 m',
    nonRetryableErrorTypes: ['NotFound'],
  },
});

/** A webhook whose workflow was terminated or lost. */
export async function deliveryWorkflow(webhook: WebhookNotice, queues: TaskQueues): Promise<DeliveryOutcome> {
  setCurrentDetails('Taken up by the sweep: the workflow that saw to it was gone.');
  return see(queues, webhook);
}

/** The same event once more, under the same webhook-id, with a round of attempts of its own. */
export async function redeliveryWorkflow(input: DeliveryInput): Promise<DeliveryOutcome> {
  setCurrentDetails('Asked for by an operator.');
  return see(input.queues, await reopenDelivery(input.deliveryId, uuid4()));
}

/** An event that belongs to no job, to try an account's endpoint with: one attempt. */
export async function testEventWorkflow(input: DeliveryInput): Promise<DeliveryOutcome> {
  setCurrentDetails('A test asked for by an operator.');
  return see(input.queues, await openTestDelivery(input.deliveryId, input.accountId));
}

function see(queues: TaskQueues, notice: WebhookNotice): Promise<DeliveryOutcome> {
  const outer = CancellationScope.current();
  return CancellationScope.nonCancellable(() => notify(notice, queues, outer));
}
