import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Egress } from '../../lib/egress/egress.ts';
import { FAILURES } from '../../lib/protocol/failure-types.ts';
import type { PendingDelivery } from '../../lib/protocol/webhooks.ts';
import { retryAfter } from '../retry-after.ts';
import { type DeliveryDeps, type DeliveryOutcome, deliver } from './attempt.ts';
import type { DeliveryLimits } from './delivery-limits.ts';
import type { WebhookPolicy } from './policy.ts';

const HEARTBEAT_MS = 2000;

export interface WebhookDeps extends DeliveryDeps {
  webhooks: WebhookPolicy;
  deliveryLimits: DeliveryLimits;
}

export function createWebhookActivities({ webhooks: policy, deliveryLimits, ...deps }: WebhookDeps) {
  return {
    /**
     * Makes one attempt of a delivery. If another attempt has to follow, fails with its delay as
     * `nextRetryDelay`. Attempts are counted in MongoDB, not by Temporal, so a wait for a
     * permit uses none up. An attempt counts from the moment before its request.
     */
    async deliverWebhook(pending: PendingDelivery): Promise<DeliveryOutcome> {
      const permit = deliveryLimits.acquire(pending, activityInfo().attempt > 1);
      if ('waitMs' in permit) throw waitForPermit(pending, permit.waitMs);
      const signal = cancellationSignal();
      const post: Egress['post'] = (...request) =>
        permit.exchange(() => deps.egress.post(...request), signal);
      const beat = setInterval(heartbeat, HEARTBEAT_MS);
      try {
        const result = await deliver({ ...deps, egress: { post } }, policy, pending, signal);
        if (result.state === 'pending')
          throw retryAfter(FAILURES.webhook_undelivered, result.problem, result.waitMs);
        return result;
      } finally {
        clearInterval(beat);
        permit.release();
      }
    },
  };
}

/** Ends the attempt, so that other deliveries can use the worker until this one tries again. */
const waitForPermit = ({ receiver }: PendingDelivery, waitMs: number) =>
  retryAfter(
    FAILURES.webhook_waiting,
    `Too many deliveries to ${receiver} are in progress; this one waits for its turn.`,
    waitMs,
  );
