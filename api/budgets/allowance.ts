export interface AllowanceOptions {
  /** Most a key may spend in any `windowMs`. Spending that crosses the limit is still allowed. */
  limit: number;
  windowMs: number;
  /** A monotonic clock, in milliseconds. */
  now: () => number;
}

/** An amount spent by a key. */
export interface Spending {
  add(amount: number): void;
  /** Sets the amount back to 0. */
  cancel(): void;
}

export interface Allowance {
  /** Milliseconds until the key is below its limit again, 0 when it is. */
  wait(key: string): number;
  /** Starts a spending at the current time, with an amount of 0. */
  spend(key: string): Spending;
  /** Number of keys that are tracked: those with a spending in the window. */
  readonly size: number;
}

interface Entry {
  moment: number;
  amount: number;
}

/**
 * Tracks how much each key spends in a sliding window. Memory is bounded by the rate limits: one entry per request in
 * the window. A key without entries is removed.
 */
export function createAllowance({ limit, windowMs, now }: AllowanceOptions): Allowance {
  const keys = new Map<string, Entry[]>();

  function entriesOf(key: string): Entry[] {
    const entries = (keys.get(key) ?? []).filter(({ moment }) => moment > now() - windowMs);
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
    wait(key) {
      const entries = entriesOf(key);
      let excess = entries.reduce((sum, { amount }) => sum + amount, 0) - limit;
      let until = 0;
      for (const { moment, amount } of entries) {
        if (excess < 0) break;
        excess -= amount;
        until = moment + windowMs;
      }
      return Math.max(0, until - now());
    },
    spend(key) {
      const entry = { moment: now(), amount: 0 };
      removeExpired();
      keys.set(key, [...entriesOf(key), entry]);
      return {
        add(amount) {
          entry.amount += amount;
        },
        cancel() {
          entry.amount = 0;
        },
      };
    },
    get size() {
      return keys.size;
    },
  };
}
