export interface AllowanceOptions {
  /** Most a key may spend in any `windowMs`. Spending that crosses the limit is still allowed. */
  limit: number;
  windowMs: number;
  /** A monotonic clock, in milliseconds. */
  now: () => number;
}

/** What is spent at once. May grow and shrink while it counts. */
export interface Spending {
  amount: number;
}

export interface Allowance {
  readonly limit: number;
  /** Milliseconds until the key is below its limit again, 0 when it is. @param except does not count */
  wait(key: string, except?: Spending): number;
  /** What the key has spent in the window. */
  spent(key: string): number;
  /** Counts the spending for the key, from now until the window is over. */
  count(key: string, spending: Spending): void;
  /** Number of keys that are tracked: those with a spending in the window. */
  readonly size: number;
}

interface Entry {
  moment: number;
  spending: Spending;
}

/**
 * Tracks how much each key spends in a sliding window. Memory is bounded by the rate limits: one entry per request in
 * the window. A key without entries is removed.
 */
export function createAllowance({ limit, windowMs, now }: AllowanceOptions): Allowance {
  const keys = new Map<string, Entry[]>();

  function entriesOf(key: string): Entry[] {
    const cutoff = now() - windowMs;
    const entries = (keys.get(key) ?? []).filter(({ moment }) => moment > cutoff);
    keys.delete(key);
    if (entries.length > 0) keys.set(key, entries);
    return entries;
  }

  /** Keys are ordered by last use, so an expired one is at the front. */
  function removeExpired(): void {
    const [oldest] = keys.keys();
    const last = oldest === undefined ? undefined : keys.get(oldest)?.at(-1);
    if (oldest !== undefined && (last?.moment ?? 0) <= now() - windowMs) keys.delete(oldest);
  }

  return {
    limit,
    wait(key, except) {
      const entries = entriesOf(key).filter(({ spending }) => spending !== except);
      let excess = sumOf(entries) - limit;
      let until = 0;
      for (const { moment, spending } of entries) {
        if (excess < 0) break;
        excess -= spending.amount;
        until = moment + windowMs;
      }
      return Math.max(0, until - now());
    },
    spent: (key) => sumOf(entriesOf(key)),
    count(key, spending) {
      removeExpired();
      keys.set(key, [...entriesOf(key), { moment: now(), spending }]);
    },
    get size() {
      return keys.size;
    },
  };
}

const sumOf = (entries: readonly Entry[]) => entries.reduce((sum, { spending }) => sum + spending.amount, 0);
