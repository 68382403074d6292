export interface WindowOptions {
  /** Requests allowed in any `windowMs`. */
  limit: number;
  windowMs: number;
  /** Most keys remembered at a time. */
  maxKeys: number;
  /** Milliseconds of a clock that does not jump. */
  now: () => number;
}

export interface Hit {
  allowed: boolean;
  limit: number;
  /** Left in the window after this request. */
  remaining: number;
  /** Whole seconds until the oldest request leaves the window and `remaining` grows; at least 1. */
  resetSeconds: number;
}

export interface SlidingWindow {
  hit(key: string): Hit;
  /** Keys remembered now, never more than `maxKeys`. */
  readonly size: number;
}

/** The moments of a key's requests, as a ring that grows up to the limit. */
interface Log {
  moments: Float64Array;
  oldest: number;
  count: number;
}

const FIRST_RING = 4;
/** Keys looked at when a new one comes: more than one, so that what expired goes faster than new ones arrive. */
const SWEEP = 2;
/** Keys compared when one has to go. */
const SAMPLE = 16;

/**
 * A true sliding window: no span of `windowMs`, wherever it begins, holds more than `limit` allowed requests of a key.
 * Refused requests don't count, so a client that keeps knocking gets in as soon as its oldest request has left.
 *
 * Memory is bounded. A hand goes round the keys as new ones come and drops those whose requests have all left. When
 * `maxKeys` are active at once, the least loaded of the next few gives way: somebody who has used much of the limit is
 * not forgotten because of a flood of new keys, and no new client is refused because of one either.
 */
export function createSlidingWindow({ limit, windowMs, maxKeys, now }: WindowOptions): SlidingWindow {
  const logs = new Map<string, Log>();
  let latest = Number.NEGATIVE_INFINITY;

  function add(key: string, cutoff: number): Log {
    if (!sweep(logs, cutoff, SWEEP) && logs.size >= maxKeys) evict(logs, cutoff);
    const log = { moments: new Float64Array(Math.min(FIRST_RING, limit)), oldest: 0, count: 0 };
    logs.set(key, log);
    return log;
  }

  return {
    hit(key) {
      latest = Math.max(latest, now());
      const cutoff = latest - windowMs;
      const log = logs.get(key) ?? add(key, cutoff);
      forget(log, cutoff);
      const allowed = log.count < limit;
      if (allowed) remember(log, latest, limit);
      const resetMs = (log.moments[log.oldest] ?? latest) - cutoff;
      return {
        allowed,
        limit,
        remaining: limit - log.count,
        resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
      };
    },
    get size() {
      return logs.size;
    },
  };
}

function remember(log: Log, moment: number, limit: number): void {
  if (log.count === log.moments.length) grow(log, limit);
  log.moments[(log.oldest + log.count) % log.moments.length] = moment;
  log.count += 1;
}

function grow(log: Log, limit: number): void {
  const larger = new Float64Array(Math.min(log.moments.length * 2, limit));
  larger.set(log.moments.subarray(log.oldest));
  larger.set(log.moments.subarray(0, log.oldest), log.moments.length - log.oldest);
  log.moments = larger;
  log.oldest = 0;
}

function forget(log: Log, cutoff: number): void {
  while (log.count > 0 && (log.moments[log.oldest] ?? 0) <= cutoff) {
    log.oldest = (log.oldest + 1) % log.moments.length;
    log.count -= 1;
  }
}

/** Moves the hand over `steps` keys: the expired go, the others go to the back. @returns true when one went */
function sweep(logs: Map<string, Log>, cutoff: number, steps: number): boolean {
  let dropped = false;
  for (const [key, log] of firstOf(logs, steps)) {
    forget(log, cutoff);
    logs.delete(key);
    if (log.count > 0) logs.set(key, log);
    else dropped = true;
  }
  return dropped;
}

function evict(logs: Map<string, Log>, cutoff: number): void {
  const candidates = firstOf(logs, SAMPLE);
  if (sweep(logs, cutoff, candidates.length)) return;
  const [least] = candidates.sort(([, a], [, b]) => a.count - b.count);
  if (least !== undefined) logs.delete(least[0]);
}

function firstOf(logs: Map<string, Log>, count: number): [string, Log][] {
  const first: [string, Log][] = [];
  for (const entry of logs) {
    if (first.length === count) break;
    first.push(entry);
  }
  return first;
}
