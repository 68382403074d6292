import type { AccountRecord, DeliveryAttempt, DeliveryRecord } from '../../lib/domain/records.ts';
import { signingSecrets } from '../../lib/domain/webhook-secrets.ts';
import { signWebhook } from '../../lib/domain/webhook-signature.ts';
import type { Egress, Posted } from '../../lib/egress/egress.ts';
import { retryAfterMs, type WebhookPolicy } from './policy.ts';

const MAX_RESPONSE_BYTES = 1024;

export interface SendDeps {
  egress: Pick<Egress, 'post'>;
}

/** One attempt as it is recorded, and the Retry-After of the receiver. */
export interface Sent {
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

/** Signs and sends. Never throws: a failure is recorded as the attempt's error. */
export async function send({ egress }: SendDeps, policy: WebhookPolicy, message: Message): Promise<Sent> {
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
      retryAfterMs: retryAfterMs(response.headers, Date.now()),
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
