// Not @fastify/rate-limit or rate-limiter-flexible: they count fixed windows. Not
// lib/admission/limit.ts either: it limits what is in flight, and the contract limits requests per
// time.

export interface WindowOptions {
  /** Requests allowed in any `windowMs`. */
  limit: number;
  windowMs: number;
  /** Most keys that are tracked. */
  maxKeys: number;
  /** A monotonic clock, in milliseconds. */
  now: () => number;
}

export interface Hit {
  allowed: boolean;
  limit: number;
  /** Left in the window after this request. */
  remaining: number;
  /** Whole seconds until the oldest request leaves the window and `remaining` grows; at least 1. */
  resetSeconds: number;
  /** Undefined when the request is allowed. */
  rejection?: Rejection;
}

export interface Rejection {
  /**
   * Whether this rejection should be reported, because no other of the key was in the last
   * `windowMs`.
   */
  report: boolean;
  /** Rejections since the last reported one. */
  unreported: number;
}

export interface SlidingWindow {
  hit(key: string): Hit;
  /** Number of keys that are tracked, at most `maxKeys`. */
  readonly size: number;
}

/** The times of a key's requests, in a ring buffer that grows up to the limit. */
interface Log {
  times: Float64Array;
  oldest: number;
  count: number;
  /** When a rejection was last reported, and how many there were since. */
  reportedAt: number;
  unreported: number;
}

const INITIAL_RING = 4;
/**
 * Keys checked for expiry per new key. More than one, so that expired keys are removed faster than
 * new ones arrive.
 */
const CHECKED_PER_NEW_KEY = 2;
/** Keys compared when one has to be evicted. */
const EVICTION_SAMPLE = 16;

/**
 * A true sliding window: no interval of `windowMs`, wherever it starts, has more than `limit`
 * allowed requests per key. Rejected requests do not count, so a client that keeps retrying is
 * allowed as soon as its oldest request expires.
 *
 * Memory is bounded. Each new key removes expired ones, in rotation. When `maxKeys` are active, the
 * key with the fewest requests in a sample is evicted: a flood of new keys neither resets a heavy
 * user nor locks out a new client.
 */
export function createSlidingWindow({ limit, windowMs, maxKeys, now }: WindowOptions): SlidingWindow {
  const logs = new Map<string, Log>();
  let latest = Number.NEGATIVE_INFINITY;

  function add(key: string, cutoff: number): Log {
    if (!removeExpired(logs, cutoff, CHECKED_PER_NEW_KEY) && logs.size >= maxKeys) evict(logs, cutoff);
    const times = new Float64Array(Math.min(INITIAL_RING, limit));
    const log = { times, oldest: 0, count: 0, reportedAt: Number.NEGATIVE_INFINITY, unreported: 0 };
    logs.set(key, log);
    return log;
  }

  return {
    hit(key) {
      latest = Math.max(latest, now());
      const cutoff = latest - windowMs;
      const log = logs.get(key) ?? add(key, cutoff);
      dropExpired(log, cutoff);
      const allowed = log.count < limit;
      if (allowed) record(log, latest, limit);
      const resetMs = (log.times[log.oldest] ?? latest) - cutoff;
      return {
        allowed,
        limit,
        remaining: limit - log.count,
        resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
        ...(allowed ? {} : { rejection: reject(log, latest, cutoff) }),
      };
    },
    get size() {
      return logs.size;
    },
  };
}

function reject(log: Log, time: number, cutoff: number): Rejection {
  const { unreported } = log;
  const report = log.reportedAt <= cutoff;
  if (report) log.reportedAt = time;
  log.unreported = report ? 0 : unreported + 1;
  return { report, unreported };
}

function record(log: Log, time: number, limit: number): void {
  if (log.count === log.times.length) grow(log, limit);
  log.times[(log.oldest + log.count) % log.times.length] = time;
  log.count += 1;
}

function grow(log: Log, limit: number): void {
  const larger = new Float64Array(Math.min(log.times.length * 2, limit));
  larger.set(log.times.subarray(log.oldest));
  larger.set(log.times.subarray(0, log.oldest), log.times.length - log.oldest);
  log.times = larger;
  log.oldest = 0;
}

function dropExpired(log: Log, cutoff: number): void {
  while (log.count > 0 && (log.times[log.oldest] ?? 0) <= cutoff) {
    log.oldest = (log.oldest + 1) % log.times.length;
    log.count -= 1;
  }
}

/**
 * Removes the expired keys among the first `count` and moves the others to the end.
 * @returns whether any was removed
 */
function removeExpired(logs: Map<string, Log>, cutoff: number, count: number): boolean {
  let removed = false;
  for (const [key, log] of firstOf(logs, count)) {
    dropExpired(log, cutoff);
    logs.delete(key);
    if (log.count > 0) logs.set(key, log);
    else removed = true;
  }
  return removed;
}

function evict(logs: Map<string, Log>, cutoff: number): void {
  const candidates = firstOf(logs, EVICTION_SAMPLE);
  if (removeExpired(logs, cutoff, candidates.length)) return;
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
