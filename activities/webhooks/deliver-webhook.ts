import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Egress } from '../../lib/egress/egress.ts';
import { FAILURES } from '../../lib/protocol/failure-types.ts';
import type { PendingDelivery } from '../../lib/protocol/webhooks.ts';
import { retryAfter } from '../retry-after.ts';
import { type DeliveryDeps, type DeliveryOutcome, deliver } from './attempt.ts';
import { type WebhookPolicy, webhookPolicy } from './policy.ts';
import { createWebhookSlots } from './slots.ts';

const HEARTBEAT_MS = 2000;

export interface WebhookDeps extends DeliveryDeps {
  /** Overrides of the default policy. */
  webhooks?: Partial<WebhookPolicy>;
}

export function createWebhookActivities(deps: WebhookDeps) {
  const policy = webhookPolicy(deps.webhooks);
  const slots = createWebhookSlots(policy);
  return {
    /**
     * Makes one attempt of a delivery. If another one has to follow, fails with its delay as `nextRetryDelay`. Attempts
     * are counted in MongoDB, not by Temporal, so neither a crash nor a wait for a slot uses one up.
     */
    async deliverWebhook(pending: PendingDelivery): Promise<DeliveryOutcome> {
      const slot = slots.take(pending, activityInfo().attempt > 1);
      if ('waitMs' in slot) throw waitForSlot(pending, slot.waitMs);
      const signal = cancellationSignal();
      const post: Egress['post'] = (...request) => slot.exchange(() => deps.egress.post(...request), signal);
      const beat = setInterval(heartbeat, HEARTBEAT_MS);
      try {
        const result = await deliver({ ...deps, egress: { post } }, policy, pending, signal);
        if (result.state === 'pending')
          throw retryAfter(FAILURES.webhook_undelivered, result.problem, result.waitMs);
        return result;
      } finally {
        clearInterval(beat);
        slot.leave();
      }
    },
  };
}

/** Frees the worker's activity slot for other deliveries while this one waits for its turn. */
const waitForSlot = ({ receiver }: PendingDelivery, waitMs: number) =>
  retryAfter(
    FAILURES.webhook_waiting,
    `Too many deliveries to ${receiver} are in progress; this one waits for its turn.`,
    waitMs,
  );
