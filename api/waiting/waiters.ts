import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { createLimit, type Limit } from '../../lib/admission/limit.ts';
import { WAITING } from '../../lib/contract/limits.ts';
import type { JobFeed, JobNews } from '../../lib/stores/job-feed.ts';

/** How a request waits: for one response, or with an event stream. */
export type WaiterKind = 'prefer' | 'events';

/**
 * What a waiter is told: `revoked` in place of the news if its caller may no longer read the job.
 */
export type WaiterNews = JobNews | 'revoked';

/** A request that waits for one job, until its response is finished or its client has gone. */
export interface Waiter {
  /** Waits for at most `ms` milliseconds. @returns undefined if no end of the job is known */
  news(ms: number): Promise<WaiterNews | undefined>;
  /**
   * Further waiting is pointless: the process shuts down, the client has gone, or its key cannot be
   * checked.
   */
  readonly isOver: boolean;
}

/**
 * The requests of this process that wait for jobs to end. Each has a permit; only their keys are
 * looked up.
 */
export interface Waiters {
  /**
   * To be called before the job is read, so that no end is missed in between.
   * @returns undefined when the account or the process has as many waiting requests as it may, or
   * shuts down
   */
  register(kind: WaiterKind, waiting: Waiting): Promise<Waiter | undefined>;
  /** Whether a waiter was registered for the response. */
  hasWaited(response: ServerResponse): boolean;
  /** Waiting requests at present. */
  readonly counts: Readonly<Record<WaiterKind, number>>;
  /** The limit of waiting requests. Nobody waits for its permits. Owners: accounts. */
  readonly limit: Pick<Limit, 'held' | 'waiting'>;
  /** For a server that shuts down: all waits end at once. */
  close(): void;
}

export interface Waiting {
  accountId: string;
  jobId: string;
  response: ServerResponse;
  /**
   * Asked before the waiter is told of the end, and at each heartbeat, with all other waiters at
   * once.
   */
  isRevoked: () => Promise<boolean>;
}

export interface WaiterLimits {
  requests: number;
  /**
   * An account has fewer when the process is nearly full: it may not hold more permits than are
   * free.
   */
  accountRequests: number;
}

export function createWaiters(
  feed: Pick<JobFeed, 'subscribe'>,
  { requests, accountRequests }: WaiterLimits = WAITING,
  heartbeatMs: number = WAITING.heartbeatMs,
): Waiters {
  const limit = createLimit({ total: requests, perOwner: accountRequests });
  const counts = { prefer: 0, events: 0 };
  const waits = new Set<Wait>();
  const waited = new WeakSet<ServerResponse>();
  let heartbeat: NodeJS.Timeout | undefined;
  let isClosed = false;

  const begin = (wait: Wait) => {
    heartbeat ??= setInterval(() => {
      for (const { check } of waits) void check();
    }, heartbeatMs);
    waits.add(wait);
  };
  const end = (wait: Wait) => {
    wait.end();
    waits.delete(wait);
    if (waits.size > 0) return;
    clearInterval(heartbeat);
    heartbeat = undefined;
  };
  return {
    async register(kind, { accountId, jobId, response, isRevoked }) {
      const mayHoldMore = limit.heldBy(accountId) <= requests - limit.held;
      const permit = !isClosed && mayHoldMore ? limit.acquireNow(accountId, 1) : undefined;
      if (permit === undefined) return undefined;
      const wait = waitFor(feed, jobId, isRevoked);
      counts[kind] += 1;
      waited.add(response);
      begin(wait);
      // Also called if the client has already gone.
      finished(response, () => {
        end(wait);
        counts[kind] -= 1;
        permit.release();
      });
      return wait.waiter;
    },
    hasWaited: (response) => waited.has(response),
    counts,
    limit,
    close() {
      isClosed = true;
      for (const wait of waits) wait.end();
    },
  };
}

interface Wait {
  waiter: Waiter;
  /** Ends the wait if the caller may no longer read the job. */
  check(): Promise<void>;
  end(): void;
}

function waitFor(feed: Pick<JobFeed, 'subscribe'>, jobId: string, isRevoked: Waiting['isRevoked']): Wait {
  let news: WaiterNews | undefined;
  let isOver = false;
  let wake = () => {};
  const tell = (told: WaiterNews) => {
    news = told;
    wake();
  };
  const end = () => {
    isOver = true;
    unsubscribe();
    wake();
  };
  const unsubscribe = feed.subscribe(jobId, (told) => {
    // A caller that cannot be checked gets no news. Its client may ask again.
    isRevoked().then((revoked) => tell(revoked ? 'revoked' : told), end);
  });
  return {
    waiter: {
      async news(ms) {
        if (news === undefined && !isOver)
          await new Promise<void>((resolve) => (wake = wakeAfter(ms, resolve)));
        return news;
      },
      get isOver() {
        return isOver;
      },
    },
    async check() {
      // While MongoDB is away, nobody is told of an end anyway.
      if (await isRevoked().catch(() => false)) tell('revoked');
    },
    end,
  };
}

/** @returns a function that resolves earlier */
function wakeAfter(ms: number, resolve: () => void): () => void {
  const timer = setTimeout(resolve, ms);
  return () => {
    clearTimeout(timer);
    resolve();
  };
}
