import { ApplicationFailure, activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { Egress } from '../egress/egress.ts';
import { type DeliveryDeps, type DeliveryOutcome, deliver } from './delivery.ts';
import type { WebhookNotice } from './webhook-notices.ts';
import { type WebhookPolicy, webhookPolicy } from './webhook-policy.ts';
import { createWebhookSlots } from './webhook-slots.ts';

const HEARTBEAT_MS = 2000;

export interface WebhookDeps extends DeliveryDeps {
  /** Changes to how webhooks are delivered. */
  webhooks?: Partial<WebhookPolicy>;
}

export function createWebhookActivities(deps: WebhookDeps) {
  const policy = webhookPolicy(deps.webhooks);
  const slots = createWebhookSlots(policy);
  return {
    /**
     * Makes one attempt of a delivery. Another one to come is told to Temporal as a failure with the time to wait;
     * how many there were is counted in MongoDB, so neither a crash nor a wait for a slot uses one up unseen.
     */
    async deliverWebhook(notice: WebhookNotice): Promise<DeliveryOutcome> {
      const slot = slots.take(notice, activityInfo().attempt > 1);
      if ('waitMs' in slot) throw crowded(notice, slot.waitMs);
      const signal = cancellationSignal();
      const post: Egress['post'] = (...request) => slot.exchange(() => deps.egress.post(...request), signal);
      const beat = setInterval(heartbeat, HEARTBEAT_MS);
      try {
        const result = await deliver({ ...deps, egress: { post } }, policy, notice, signal);
        if (result.state === 'pending') throw later('webhook_undelivered', result.problem, result.waitMs);
        return result;
      } finally {
        clearInterval(beat);
        slot.leave();
      }
    },
  };
}

/** Leaves the slot of Temporal's worker to other deliveries until this one's turn has come. */
const crowded = ({ receiver }: WebhookNotice, waitMs: number) =>
  later(
    'webhook_waiting',
    `Enough deliveries to ${receiver} are under way; this one waits for its turn.`,
    waitMs,
  );

/** Benign, because a receiver's failure is no failure of the worker, which logs it at debug level. */
const later = (type: string, message: string, nextRetryDelay: number) =>
  ApplicationFailure.create({ type, message, nextRetryDelay, category: ApplicationFailureCategory.BENIGN });
