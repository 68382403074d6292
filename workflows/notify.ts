import {
  ActivityFailure,
  CancellationScope,
  getCurrentDetails,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { Activities, DeliveryOutcome, WebhookNotice } from '../activities/activities.ts';
import { deletedSignal, type TaskQueues } from './messages.ts';

const { closeDelivery } = proxyActivities<Activities>({
  startToCloseTimeout: '15 s',
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 m' },
});

/** No error of an attempt is final, so this is what an operator sees who has failed the activity by hand. */
const UNDELIVERABLE = { state: 'failed', reason: 'The delivery was given up.' } as const;

/**
 * Sees a webhook delivered, which takes a day and more when the receiver is away: one activity, whose attempts Temporal
 * spaces as each one says. Ends early when the job is deleted or `outer` is cancelled. Never fails the workflow.
 */
export async function notify(
  notice: WebhookNotice,
  queues: TaskQueues,
  outer: CancellationScope,
): Promise<DeliveryOutcome> {
  const { deliverWebhook } = proxyActivities<Activities>({
    taskQueue: queues.webhooks,
    startToCloseTimeout: '1 m',
    heartbeatTimeout: '10 s',
    // For what is no attempt: a worker that died, a database that is away.
    retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '1 m' },
    summary: notice.receiver,
  });
  const story = getCurrentDetails();
  const tell = (text: string) => setCurrentDetails(`${story} Webhook ${notice.deliveryId} ${text}`.trim());
  const cancelled = { state: 'cancelled' as const, reason: 'The job was deleted.' };
  const scope = new CancellationScope();
  setHandler(deletedSignal, () => scope.cancel());
  // A cancel that came before the job ended was for the rendering.
  if (!outer.consideredCancelled)
    outer.cancelRequested.catch(() => {
      cancelled.reason = 'The workflow was cancelled.';
      scope.cancel();
    });

  tell(`is on its way to ${notice.receiver}.`);
  try {
    const outcome = await scope.run(() => deliverWebhook(notice));
    tell(`to ${notice.receiver}: ${outcome.state}. ${outcome.reason ?? ''}`);
    return outcome;
  } catch (error) {
    if (!(error instanceof ActivityFailure || isCancellation(error))) throw error;
    const end = isCancellation(error) ? cancelled : UNDELIVERABLE;
    await CancellationScope.nonCancellable(() => closeDelivery(notice.deliveryId, notice.round, end));
    tell(`to ${notice.receiver}: ${end.state}. ${end.reason}`);
    return end;
  }
}
