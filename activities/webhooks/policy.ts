const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How webhooks are delivered. Times are in milliseconds. */
export interface WebhookPolicy {
  /** Waiting time before each attempt of a cycle. */
  scheduleMs: readonly number[];
  /** Random variation of a waiting time, as a fraction of it. */
  jitter: number;
  /** For one attempt, DNS look-up and response included. */
  timeoutMs: number;
  /** Shortest time without a success after which an endpoint is disabled. */
  disableAfterMs: number;
  /** Whole cycles that must also have failed in that time, without a success between them. */
  disableAfterCycles: number;
  /** Most deliveries in progress in one worker: the slots of the worker. */
  slots: number;
  /**
   * An exchange that takes longer is slow. Only part of the deliveries may be to slow receivers.
   */
  slowMs: number;
}

/** Defaults. The retry schedule is that of Svix and spans about 28 hours. */
export function webhookPolicy(overrides: Partial<WebhookPolicy> = {}): WebhookPolicy {
  return {
    scheduleMs: [0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
    jitter: 0.2,
    timeoutMs: 15 * SECOND,
    disableAfterMs: 5 * 24 * HOUR,
    disableAfterCycles: 3,
    slots: 100,
    slowMs: 2 * SECOND,
    ...overrides,
  };
}

/**
 * Milliseconds to wait after the given number of attempts in a cycle; undefined when the schedule
 * is exhausted.
 * @param retryAfterMs the receiver's Retry-After, honoured between one and two times the scheduled
 * delay
 */
export function delayAfter(
  tries: number,
  { scheduleMs, jitter }: WebhookPolicy,
  retryAfterMs: number | undefined,
): number | undefined {
  const base = scheduleMs[tries];
  if (base === undefined) return undefined;
  if (retryAfterMs === undefined) return base * (1 + jitter * (2 * Math.random() - 1));
  // Jitter only adds: not earlier than requested, and not all deliveries at once.
  return Math.min(2 * base, Math.max(base, retryAfterMs) * (1 + jitter * Math.random()));
}
