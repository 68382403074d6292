import type { TestEvent, WebhookEvent } from '../../lib/contract/webhook.ts';
import { eventTypeOf } from '../../lib/domain/delivery.ts';
import { presentJob } from '../../lib/domain/present.ts';
import type { AccountRecord, DeliveryAttempt, DeliveryRecord, JobRecord } from '../../lib/domain/records.ts';
import { signingSecrets } from '../../lib/domain/webhook-secrets.ts';
import { signWebhook } from '../../lib/domain/webhook-signature.ts';
import type { Egress, Posted, ResponseHeaders } from '../../lib/egress/egress.ts';
import type { ImageStore } from '../../lib/stores/image-store.ts';
import type { WebhookPolicy } from './policy.ts';

const MAX_RESPONSE_BYTES = 1024;

export interface SendDeps {
  egress: Pick<Egress, 'post'>;
}

/** An attempt as it is recorded, and the Retry-After of the receiver. */
export interface SentWebhook {
  attempt: DeliveryAttempt;
  retryAfterMs?: number | undefined;
}

interface Message {
  at: Date;
  url: string;
  account: AccountRecord;
  delivery: DeliveryRecord;
  body: string;
  signal: AbortSignal;
}

/**
 * The body of a delivery: the same bytes for every attempt. The job must have ended and must not be
 * deleted.
 */
export function eventBody(
  delivery: DeliveryRecord,
  job: JobRecord | undefined,
  images: Pick<ImageStore, 'resultUrl'>,
): string {
  const event = job === undefined ? testEvent(delivery) : jobEvent(job, images);
  return JSON.stringify(event);
}

function jobEvent(job: JobRecord, images: Pick<ImageStore, 'resultUrl'>): WebhookEvent {
  const data = presentJob(job, images);
  const timestamp = data.completed_at ?? data.created_at;
  return { type: eventTypeOf(job.status), timestamp, job_id: data.job_id, data };
}

const testEvent = ({ accountId, createdAt }: DeliveryRecord): TestEvent => ({
  type: 'test.ping',
  timestamp: createdAt.toISOString(),
  data: { account_id: accountId },
});

/** Signs and sends. Never throws: a failure is recorded as the attempt's error. */
export async function sendWebhook(
  { egress }: SendDeps,
  policy: WebhookPolicy,
  message: Message,
): Promise<SentWebhook> {
  const { at, url, account, delivery, body, signal } = message;
  const timestamp = Math.floor(at.getTime() / 1000);
  const start = performance.now();
  try {
    const signed = signWebhook(signingSecrets(account.webhook, at), { id: delivery.id, timestamp, body });
    const response = await egress.post(url, {
      headers: { 'content-type': 'application/json', ...signed },
      body,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      timeoutMs: policy.timeoutMs,
      signal,
    });
    return {
      attempt: toAttempt(at, url, response),
      retryAfterMs: receiverRetryAfterMs(response.headers, Date.now()),
    };
  } catch (error) {
    const ms = Math.round(performance.now() - start);
    return { attempt: { at, url, status: null, ms, error: problemOf(error, signal), responseBody: null } };
  }
}

function toAttempt(at: Date, url: string, { status, ms, body }: Posted): DeliveryAttempt {
  const success = status >= 200 && status <= 299;
  const error = success ? null : `The receiver responded with status ${status}.`;
  return { at, url, status, ms, error, responseBody: body.toString('utf8') };
}

function problemOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'Aborted: the delivery was cancelled or the worker shut down.';
  return error instanceof Error ? error.message : String(error);
}

/**
 * Retry-After in milliseconds, from seconds or a date (RFC 9110, 10.2.3). A date is by the
 * receiver's clock, so it is compared with the response's Date header, or with `now` when there is
 * none.
 */
export function receiverRetryAfterMs(headers: ResponseHeaders, now: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = dateOf(value);
  return date === undefined ? undefined : Math.max(0, date - (dateOf(headers.date) ?? now));
}

function dateOf(value = ''): number | undefined {
  const date = /GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}
