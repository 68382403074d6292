import type { DeliveryRecord } from '../lib/domain/records.ts';
import type { Fields } from './output.ts';

/** When its last attempt failed. */
export const failedAt = ({ attempts, createdAt }: DeliveryRecord): Date => attempts.at(-1)?.at ?? createdAt;

export function describeDelivery(delivery: DeliveryRecord): Fields {
  return {
    delivery_id: delivery.id,
    account_id: delivery.accountId,
    job_id: delivery.jobId,
    type: delivery.type,
    target: delivery.target,
    url: delivery.url,
    state: delivery.state,
    reason: delivery.reason,
    tries: delivery.tries,
    last_status: delivery.attempts.at(-1)?.status ?? null,
    next_attempt_at: delivery.nextAttemptAt,
    created_at: delivery.createdAt,
    // Scripts read the response body as `answer`.
    attempts: delivery.attempts.map(({ responseBody, ...attempt }) => ({ ...attempt, answer: responseBody })),
  };
}
