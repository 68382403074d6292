// Not lib/admission/limit.ts, which counts what is held at one time. Bytes that were fetched are
// counted over a minute.

export interface ByteWindowOptions {
  /** Most bytes of a key in any `windowMs`. Bytes that cross the limit are still allowed. */
  limit: number;
  windowMs: number;
  /** A monotonic clock, in milliseconds. */
  now: () => number;
}

/** Bytes that are counted together. They may become more or fewer while they count. */
export interface CountedBytes {
  amount: number;
}

export interface ByteWindow {
  readonly limit: number;
  /**
   * Milliseconds until the key is below its limit again, 0 when it is.
   * @param except does not count
   */
  wait(key: string, except?: CountedBytes): number;
  /** Bytes of the key in the window. */
  counted(key: string): number;
  /** Counts the bytes for the key, from now until the window is over. */
  count(key: string, bytes: CountedBytes): void;
  /** Number of keys that have bytes in the window. */
  readonly size: number;
}

interface Entry {
  moment: number;
  bytes: CountedBytes;
}

/**
 * Counts the bytes of each key in a sliding window. Memory is bounded by the rate limits: one entry
 * per request in the window. A key without entries is removed.
 */
export function createByteWindow({ limit, windowMs, now }: ByteWindowOptions): ByteWindow {
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
      const entries = entriesOf(key).filter(({ bytes }) => bytes !== except);
      let excess = sumOf(entries) - limit;
      let until = 0;
      for (const { moment, bytes } of entries) {
        if (excess < 0) break;
        excess -= bytes.amount;
        until = moment + windowMs;
      }
      return Math.max(0, until - now());
    },
    counted: (key) => sumOf(entriesOf(key)),
    count(key, bytes) {
      removeExpired();
      keys.set(key, [...entriesOf(key), { moment: now(), bytes }]);
    },
    get size() {
      return keys.size;
    },
  };
}

const sumOf = (entries: readonly Entry[]) => entries.reduce((sum, { bytes }) => sum + bytes.amount, 0);
