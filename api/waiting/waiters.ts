import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { WAITING } from '../../contract/limits.ts';
import { acquireNow, createBudget } from '../../runtime/budget.ts';
import type { JobFeed, JobNews } from '../../stores/job-feed.ts';

/** How a request waits: for one response, or with an event stream. */
export type WaiterKind = 'prefer' | 'events';

/** A request that waits for one job, until its response is finished or its client has gone. */
export interface Waiter {
  /** Waits for at most so many milliseconds. @returns undefined while the job is processing, as far as is known */
  news(ms: number): Promise<JobNews | undefined>;
  /** Further waiting is pointless: the process shuts down, or the client has gone. */
  readonly isOver: boolean;
}

/** The requests of this process that wait for jobs to end. They hold a place each and cost no query. */
export interface Waiters {
  /**
   * To be called before the job is read, so that no end is missed in between.
   * @returns undefined when the account or the process has as many waiting requests as it may, or shuts down
   */
  register(
    kind: WaiterKind,
    waiting: { accountId: string; jobId: string; response: ServerResponse },
  ): Promise<Waiter | undefined>;
  /** Waiting requests at present. */
  readonly counts: Readonly<Record<WaiterKind, number>>;
  /** For a server that shuts down: all waits end at once. */
  close(): void;
}

export interface WaiterLimits {
  requests: number;
  accountRequests: number;
}

export function createWaiters(
  feed: Pick<JobFeed, 'subscribe'>,
  { requests, accountRequests }: WaiterLimits = WAITING,
): Waiters {
  const places = createBudget({ total: requests, perOwner: accountRequests });
  const counts = { prefer: 0, events: 0 };
  const ends = new Set<() => void>();
  let isClosed = false;
  return {
    async register(kind, { accountId, jobId, response }) {
      const place = await acquireNow(places, accountId, 1);
      if (isClosed) place?.release();
      if (isClosed || place === undefined) return undefined;
      const { waiter, end } = waitFor(feed, jobId);
      counts[kind] += 1;
      ends.add(end);
      // Also called if the client has already gone.
      finished(response, () => {
        end();
        ends.delete(end);
        counts[kind] -= 1;
        place.release();
      });
      return waiter;
    },
    counts,
    close() {
      isClosed = true;
      for (const end of ends) end();
    },
  };
}

function waitFor(feed: Pick<JobFeed, 'subscribe'>, jobId: string): { waiter: Waiter; end: () => void } {
  let news: JobNews | undefined;
  let isOver = false;
  let wake = () => {};
  const unsubscribe = feed.subscribe(jobId, (told) => {
    news = told;
    wake();
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
    end() {
      isOver = true;
      unsubscribe();
      wake();
    },
  };
}

/** @returns resolves earlier */
function wakeAfter(ms: number, resolve: () => void): () => void {
  const timer = setTimeout(resolve, ms);
  return () => {
    clearTimeout(timer);
    resolve();
  };
}
