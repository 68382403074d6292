import { signWebhook } from '../contract/webhook-signature.ts';
import type { Egress, Posted } from '../egress/egress.ts';
import type { AccountRecord, DeliveryAttempt, DeliveryRecord } from '../stores/records.ts';
import { retryAfterMs, type WebhookPolicy } from './webhook-policy.ts';

const ANSWER_BYTES = 1024;

export interface SendDeps {
  egress: Pick<Egress, 'post'>;
}

/** One attempt as it is recorded, and what the receiver wishes for the next. */
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

/** Signs and sends. Never throws: what goes wrong is the attempt's error. */
export async function send({ egress }: SendDeps, policy: WebhookPolicy, message: Message): Promise<Sent> {
  const { at, url, account, delivery, body, signal } = message;
  const timestamp = Math.floor(at.getTime() / 1000);
  const signed = signWebhook(secretsOf(account, at), { id: delivery.id, timestamp, body });
  const start = performance.now();
  try {
    const answer = await egress.post(url, {
      headers: { 'content-type': 'application/json', ...signed },
      body,
      maxAnswerBytes: ANSWER_BYTES,
      timeoutMs: policy.timeoutMs,
      signal,
    });
    return { attempt: answered(at, url, answer), retryAfterMs: retryAfterMs(answer.headers, Date.now()) };
  } catch (error) {
    const ms = Math.round(performance.now() - start);
    return { attempt: { at, url, status: null, ms, error: problemOf(error, signal), answer: null } };
  }
}

function answered(at: Date, url: string, { status, ms, body }: Posted): DeliveryAttempt {
  const success = status >= 200 && status <= 299;
  const error = success ? null : `The receiver answered with status ${status}.`;
  return { at, url, status, ms, error, answer: body.toString('utf8') };
}

function problemOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'Broken off: the delivery was cancelled, or the worker stopped.';
  return error instanceof Error ? error.message : String(error);
}

/** The present secret and, for a day after a rotation, the one before it. */
function secretsOf({ webhook }: AccountRecord, at: Date): string[] {
  const { secret, previousSecret, previousUntil } = webhook;
  const both = previousSecret !== null && previousUntil !== null && at < previousUntil;
  return both ? [secret, previousSecret] : [secret];
}
