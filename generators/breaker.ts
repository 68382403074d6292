/** Consecutive failures that open the breaker. */
const FAILURES = 5;
const OPEN_MS = 15_000;
const MAX_OPEN_MS = 300_000;
/** A probe that takes longer says nothing: another one may begin. */
const PROBE_MS = 60_000;

export interface Breaker {
  /** Milliseconds until a call may be made; 0 when one may be made now. */
  waitMs(): number;
  /** Runs a call. When the breaker was open, this call is the only probe for a minute. */
  run<T>(call: () => Promise<T>, verdictOf: (error: unknown) => Verdict): Promise<T>;
}

/** What the error of a call says about its upstream. */
export type Verdict = Outage | 'works' | 'unknown';

/** An upstream that fails, or, with `retryAfterMs`, one that works and asks to wait. */
export interface Outage {
  retryAfterMs?: number | undefined;
}

/**
 * Circuit breaker of one upstream in one process: closed, open for a growing time, then half-open for a single probe.
 * Libraries for this do not know an upstream's Retry-After, which here pauses all jobs and probes nothing.
 */
export function createBreaker(now: () => number = Date.now): Breaker {
  let failures = 0;
  let openings = 0;
  let openUntil = 0;
  let pausedUntil = 0;
  let probingUntil = 0;

  function fail({ retryAfterMs }: Outage): void {
    if (retryAfterMs !== undefined) {
      pausedUntil = Math.max(pausedUntil, now() + Math.min(retryAfterMs, MAX_OPEN_MS));
      return;
    }
    failures += 1;
    if (failures < FAILURES) return;
    openUntil = now() + Math.min(OPEN_MS * 2 ** openings, MAX_OPEN_MS);
    openings += 1;
  }

  function succeed(): void {
    failures = 0;
    openings = 0;
    openUntil = 0;
  }

  return {
    waitMs: () => Math.max(0, openUntil - now(), pausedUntil - now(), probingUntil - now()),

    async run(call, verdictOf) {
      const isProbe = openUntil !== 0;
      if (isProbe) probingUntil = now() + PROBE_MS;
      try {
        const result = await call();
        succeed();
        return result;
      } catch (error) {
        const verdict = verdictOf(error);
        if (verdict === 'works') succeed();
        else if (verdict !== 'unknown') fail(verdict);
        throw error;
      } finally {
        if (isProbe) probingUntil = 0;
      }
    },
  };
}
