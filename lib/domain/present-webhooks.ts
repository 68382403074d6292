import type { WebhookDelivery } from '../contract/deliveries.ts';
import { LIMITS } from '../contract/limits.ts';
import type { WebhookEndpoint } from '../contract/webhook-endpoint.ts';
import type { DeliveryAttempt, DeliveryRecord, EndpointRecord } from './records.ts';

/** The delivery as the API returns it, with the latest of its attempts. */
export const presentDelivery = (delivery: DeliveryRecord): WebhookDelivery => ({
  id: delivery.id,
  type: delivery.type,
  job_id: delivery.jobId,
  status: delivery.state,
  reason: delivery.reason,
  url: delivery.url,
  attempts: delivery.attempts.slice(-LIMITS.deliveryAttempts).map(presentAttempt),
  next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
  created_at: delivery.createdAt.toISOString(),
});

const presentAttempt = ({ at, status, ms, error, responseBody }: DeliveryAttempt) => ({
  at: at.toISOString(),
  status,
  ms,
  error,
  // JSON would need six characters for each control character.
  response_body: responseBody?.replace(/[^\P{Cc}\t\n\r]/gu, '\ufffd') ?? null,
});

/** The endpoint as the API returns it, without its secrets. */
export const presentEndpoint = ({ url, disabledReason, failingSince }: EndpointRecord): WebhookEndpoint => ({
  url,
  status: disabledReason === null ? 'enabled' : 'disabled',
  disabled_reason: disabledReason,
  failing_since: failingSince?.toISOString() ?? null,
});
