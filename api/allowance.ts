export interface AllowanceOptions {
  /** What a key may spend in any `windowMs`; the spending that passes it is still allowed. */
  limit: number;
  windowMs: number;
  /** Milliseconds of a clock that does not jump. */
  now: () => number;
}

/** Something spent; it can grow, and be given back. */
export interface Spending {
  add(amount: number): void;
  giveBack(): void;
}

export interface Allowance {
  /** Milliseconds until the key is below its limit again, 0 when it is. */
  wait(key: string): number;
  /** Begins a spending of now, of nothing so far. */
  spend(key: string): Spending;
  /** Keys remembered now: those that spent something within the window. */
  readonly size: number;
}

interface Entry {
  moment: number;
  amount: number;
}

/**
 * How much each key spends in a sliding window. Memory is bounded by what the rate limits let begin in a window: an
 * entry each, and a key goes with its last one.
 */
export function createAllowance({ limit, windowMs, now }: AllowanceOptions): Allowance {
  const keys = new Map<string, Entry[]>();

  function entriesOf(key: string): Entry[] {
    const entries = (keys.get(key) ?? []).filter(({ moment }) => moment > now() - windowMs);
    keys.delete(key);
    if (entries.length > 0) keys.set(key, entries);
    return entries;
  }

  /** The keys stand in the order of their last spending or look, so what has expired is found at the front. */
  function forgetOldest(): void {
    const [oldest] = keys.keys();
    const last = oldest === undefined ? undefined : keys.get(oldest)?.at(-1);
    if (oldest !== undefined && (last?.moment ?? 0) <= now() - windowMs) keys.delete(oldest);
  }

  return {
    wait(key) {
      const entries = entriesOf(key);
      let over = entries.reduce((sum, { amount }) => sum + amount, 0) - limit;
      let until = 0;
      for (const { moment, amount } of entries) {
        if (over < 0) break;
        over -= amount;
        until = moment + windowMs;
      }
      return Math.max(0, until - now());
    },
    spend(key) {
      const entry = { moment: now(), amount: 0 };
      forgetOldest();
      keys.set(key, [...entriesOf(key), entry]);
      return {
        add(amount) {
          entry.amount += amount;
        },
        giveBack() {
          entry.amount = 0;
        },
      };
    },
    get size() {
      return keys.size;
    },
  };
}
