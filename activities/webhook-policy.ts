import type { AnswerHeaders } from '../egress/egress.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How webhooks are delivered. Times are in milliseconds. */
export interface WebhookPolicy {
  /** Waiting time before each attempt of a round. */
  scheduleMs: readonly number[];
  /** How far a waiting time is moved at random, as a part of it. */
  jitter: number;
  /** For one attempt, name look-up and answer included. */
  timeoutMs: number;
  /** How long an endpoint may fail without a success before nothing is sent to it any more. */
  disableAfterMs: number;
  /** Deliveries that one worker has under way at most. */
  slots: number;
  /** From how long on an exchange is a slow one, of which there are only so many at a time. */
  slowMs: number;
}

/** The schedule of Svix, whose receivers' habits are the common ones; about 28 hours. */
export function webhookPolicy(changes: Partial<WebhookPolicy> = {}): WebhookPolicy {
  return {
    scheduleMs: [0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
    jitter: 0.2,
    timeoutMs: 15 * SECOND,
    disableAfterMs: 5 * 24 * HOUR,
    slots: 100,
    slowMs: 2 * SECOND,
    ...changes,
  };
}

/**
 * Waiting time after so many attempts of a round; undefined when there is no further one. What the receiver asks for
 * (Retry-After) counts between once and twice the schedule's time.
 */
export function delayAfter(
  tries: number,
  { scheduleMs, jitter }: WebhookPolicy,
  retryAfterMs: number | undefined,
): number | undefined {
  const base = scheduleMs[tries];
  if (base === undefined) return undefined;
  if (retryAfterMs === undefined) return base * (1 + jitter * (2 * Math.random() - 1));
  // Never earlier than asked for, and not everybody at once.
  return Math.min(2 * base, Math.max(base, retryAfterMs) * (1 + jitter * Math.random()));
}

/**
 * Milliseconds a Retry-After asks for, given in seconds or as a date (RFC 9110, 10.2.3). A date is the receiver's, so it
 * counts from the one of the answer; from `now` where that has none.
 */
export function retryAfterMs(headers: AnswerHeaders, now: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * SECOND;
  const date = dateOf(value);
  return date === undefined ? undefined : Math.max(0, date - (dateOf(headers.date) ?? now));
}

function dateOf(value = ''): number | undefined {
  const date = /GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}
