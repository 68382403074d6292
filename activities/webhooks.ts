import { ApplicationFailure, activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { type DeliveryDeps, type DeliveryOutcome, deliver } from './delivery.ts';
import { createLanes } from './lanes.ts';
import type { WebhookNotice } from './webhook-notices.ts';
import { type WebhookPolicy, webhookPolicy } from './webhook-policy.ts';

const HEARTBEAT_MS = 2000;
const CROWDED_MS = 500;
const CROWDED_MAX_MS = 30_000;

export interface WebhookDeps extends DeliveryDeps {
  /** Changes to how webhooks are delivered; the slots of the worker decide how many share a lane. */
  webhooks?: Partial<WebhookPolicy> & { slots?: number };
}

export function createWebhookActivities(deps: WebhookDeps) {
  const policy = webhookPolicy(deps.webhooks);
  const lanes = createLanes(policy.laneWidth);
  return {
    /**
     * Makes one attempt of a delivery. Another one to come is told to Temporal as a failure with the time to wait;
     * how many there were is counted in MongoDB, so neither a crash nor a full lane uses one up unseen.
     */
    async deliverWebhook(notice: WebhookNotice): Promise<DeliveryOutcome> {
      const leave = lanes.enter([notice.receiver, notice.accountId]);
      if (leave === undefined) throw crowded(notice, activityInfo().attempt);
      const beat = setInterval(heartbeat, HEARTBEAT_MS);
      try {
        const result = await deliver(deps, policy, notice, cancellationSignal());
        if (result.state === 'pending') throw later('webhook_undelivered', result.problem, result.waitMs);
        return result;
      } finally {
        clearInterval(beat);
        leave();
      }
    },
  };
}

/** Gives the slot back to the deliveries of others, for longer each time. */
function crowded({ receiver }: WebhookNotice, attempt: number): ApplicationFailure {
  const most = Math.min(CROWDED_MAX_MS, CROWDED_MS * 2 ** Math.min(attempt, 10));
  const message = `Enough deliveries to ${receiver} are under way; this one waits for its turn.`;
  return later('webhook_waiting', message, most * (0.5 + Math.random() / 2));
}

/** Benign, because a receiver's failure is no failure of the worker, which logs it at debug level. */
const later = (type: string, message: string, nextRetryDelay: number) =>
  ApplicationFailure.create({ type, message, nextRetryDelay, category: ApplicationFailureCategory.BENIGN });
