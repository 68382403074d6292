import { type Static, Type } from 'typebox';
import { LIMITS } from './limits.ts';
import { List } from './lists.ts';
import { DateTime, JobId, Nullable } from './schemas.ts';

export const DeliveryStatus = Type.Enum(['pending', 'delivered', 'failed', 'cancelled'], {
  type: 'string',
  description:
    '`pending`: an attempt is under way or will follow. `delivered`: the receiver took it. `failed`: no attempt follows. `cancelled`: not sent, because the job was deleted, or because the endpoint was removed or disabled; then it can be sent again.',
});
export type DeliveryStatus = Static<typeof DeliveryStatus>;

/** One request to a receiver. */
const WebhookAttempt = Type.Object(
  {
    at: DateTime('When the request was sent.'),
    status: Nullable(Type.Integer({ description: 'HTTP status of the response.' }), {
      description: 'Null if there was no response.',
    }),
    ms: Nullable(Type.Integer({ minimum: 0 }), {
      description: 'Milliseconds until the response or the error; null while unknown.',
    }),
    error: Nullable(Type.String(), { description: 'Why it failed; null if the receiver took it.' }),
    response_body: Nullable(Type.String(), {
      description:
        'The first 1,024 bytes of the response, as UTF-8. Other bytes, and control characters that are not white space, are replaced by U+FFFD.',
    }),
  },
  { title: 'WebhookAttempt' },
);

/** An event for one receiver, as GET /v1/webhook-deliveries returns it. */
export const WebhookDelivery = Type.Object(
  {
    id: Type.String({ description: 'Sent as `webhook-id` with every attempt.' }),
    type: Type.Enum(['job.completed', 'job.failed', 'test.ping'], {
      type: 'string',
      description: 'Type of the event. More may be added.',
    }),
    job_id: Nullable(JobId, { description: 'The job that ended; null for a test event.' }),
    status: DeliveryStatus,
    reason: Nullable(Type.String(), { description: 'Why it failed or was cancelled.' }),
    url: Nullable(Type.String(), {
      description: 'Where it was sent last, or will be sent first; null once the job is deleted.',
    }),
    attempts: Type.Array(WebhookAttempt, {
      maxItems: LIMITS.deliveryAttempts,
      description: `The latest attempts, at most ${LIMITS.deliveryAttempts}, the oldest first.`,
    }),
    next_attempt_at: Nullable(DateTime('About when the next attempt will be made.'), {
      description: 'Null if none is scheduled; for a pending delivery, one is about to be made.',
    }),
    created_at: DateTime('When the event happened.'),
  },
  { title: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

/** A page of GET /v1/webhook-deliveries. */
export const WebhookDeliveryList = List(WebhookDelivery, 'WebhookDeliveryList');
export type WebhookDeliveryList = Static<typeof WebhookDeliveryList>;
