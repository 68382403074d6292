import {
  ActivityFailure,
  CancellationScope,
  getCurrentDetails,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { Activities } from '../activities/activities.ts';
import type { DeliveryOutcome } from '../activities/webhooks/attempt.ts';
import { escaped } from '../lib/domain/markdown.ts';
import { deletedSignal } from '../lib/protocol/job.ts';
import type { TaskQueues } from '../lib/protocol/task-queues.ts';
import type { PendingDelivery } from '../lib/protocol/webhooks.ts';
import { link } from './job-details.ts';

const { closeDelivery } = proxyActivities<Activities>({
  startToCloseTimeout: '15 s',
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 m' },
});

/** All errors of the activity are retryable. It fails only when an operator fails it by hand. */
const UNDELIVERABLE = { state: 'failed', reason: 'An operator failed the delivery activity.' } as const;

/**
 * Delivers a webhook in one activity. Each failed attempt sets the delay until the next one, so
 * this takes more than a day while a receiver is down. Ends early when the job is deleted or
 * `outer` is cancelled. Never fails the workflow.
 */
export async function notify(
  delivery: PendingDelivery,
  queues: TaskQueues,
  outer: CancellationScope,
): Promise<DeliveryOutcome> {
  const { deliverWebhook } = proxyActivities<Activities>({
    taskQueue: queues.webhooks,
    startToCloseTimeout: '1 m',
    heartbeatTimeout: '10 s',
    // For failures other than a failed attempt: a crashed worker, MongoDB down.
    retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 m' },
    summary: delivery.receiver,
  });
  const details = getCurrentDetails();
  const report = (text: string) =>
    setCurrentDetails(`${details}\n- webhook: \`${delivery.deliveryId}\` ${text}`.trimEnd());
  const receiver = link(delivery.receiver);
  const cancelled = { state: 'cancelled' as const, reason: 'The job was deleted.' };
  const scope = new CancellationScope();
  setHandler(deletedSignal, () => scope.cancel());
  // A cancellation requested before this point was meant for the render.
  if (!outer.consideredCancelled)
    outer.cancelRequested.catch(() => {
      cancelled.reason = 'The workflow was cancelled.';
      scope.cancel();
    });

  report(`is being delivered to ${receiver}`);
  try {
    const outcome = await scope.run(() => deliverWebhook(delivery));
    report(`to ${receiver} is ${outcome.state}. ${escaped(outcome.reason ?? '')}`);
    return outcome;
  } catch (error) {
    if (!(error instanceof ActivityFailure || isCancellation(error))) throw error;
    const end = isCancellation(error) ? cancelled : UNDELIVERABLE;
    await CancellationScope.nonCancellable(() => closeDelivery(delivery.deliveryId, delivery.cycle, end));
    report(`to ${receiver} is ${end.state}. ${end.reason}`);
    return end;
  }
}
