/** Consecutive failures that open the breaker. */
const FAILURES = 5;
/** Failures of one account that count at most: its photos may cause them. */
const FAILURES_OF_ONE = 2;
const OPEN_MS = 15_000;
const MAX_OPEN_MS = 300_000;
/** After this time, another probe may begin. */
const PROBE_MS = 60_000;

export interface Breaker {
  /**
   * Milliseconds until a call for the account may be made; 0 when it may be made now. The account
   * whose call opened the breaker, or failed as the last probe, waits twice as long, so that the
   * next probe is another account's.
   */
  waitMs(account?: string): number;
  /** Milliseconds since the upstream last worked, or since the breaker was created. */
  idleMs(): number;
  /** Runs a call. When the breaker was open, this call is the only probe for a minute. */
  run<T>(account: string, call: () => Promise<T>, verdictOf: (error: unknown) => Verdict): Promise<T>;
}

/** What the error of a call says about its upstream. */
export type Verdict = Outage | 'works' | 'unknown';

/** The upstream has failed. With `retryAfterMs`, it works and asks to wait. */
export interface Outage {
  retryAfterMs?: number | undefined;
}

/**
 * Circuit breaker of one upstream in one process: closed, open for a growing time, then half-open
 * for a single probe. Libraries for this do not know an upstream's Retry-After, which here pauses
 * all jobs and probes nothing.
 */
export function createBreaker(now: () => number = Date.now): Breaker {
  const failures = new Map<string, number>();
  let openings = 0;
  let openMs = 0;
  let openUntil = 0;
  let openedBy: string | undefined;
  let pausedUntil = 0;
  let probingUntil = 0;
  let workedAt = now();

  function fail(account: string, isProbe: boolean, { retryAfterMs }: Outage): void {
    if (retryAfterMs !== undefined) {
      pausedUntil = Math.max(pausedUntil, now() + Math.min(retryAfterMs, MAX_OPEN_MS));
      return;
    }
    // The call began before the breaker opened, so its failure is no news.
    if (openUntil !== 0 && !isProbe) return;
    failures.set(account, Math.min((failures.get(account) ?? 0) + 1, FAILURES_OF_ONE));
    const counted = [...failures.values()].reduce((sum, count) => sum + count, 0);
    if (counted < FAILURES && !isProbe) return;
    openMs = Math.min(OPEN_MS * 2 ** openings, MAX_OPEN_MS);
    openUntil = now() + openMs;
    openedBy = account;
    openings += 1;
  }

  function succeed(): void {
    failures.clear();
    openings = 0;
    openUntil = 0;
    openedBy = undefined;
    workedAt = now();
  }

  return {
    waitMs(account) {
      const closedAt = account !== undefined && account === openedBy ? openUntil + openMs : openUntil;
      return Math.max(0, closedAt - now(), pausedUntil - now(), probingUntil - now());
    },

    idleMs: () => now() - workedAt,

    async run(account, call, verdictOf) {
      const isProbe = openUntil !== 0;
      if (isProbe) probingUntil = now() + PROBE_MS;
      try {
        const result = await call();
        succeed();
        return result;
      } catch (error) {
        const verdict = verdictOf(error);
        if (verdict === 'works') succeed();
        else if (verdict !== 'unknown') fail(account, isProbe, verdict);
        throw error;
      } finally {
        if (isProbe) probingUntil = 0;
      }
    },
  };
}
