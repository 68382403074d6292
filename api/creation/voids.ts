import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { withDeadline } from '../../runtime.ts';
import type { JobStore } from '../../stores/ports.ts';

/** A request that was answered 5xx, and a job that it may have charged, or may count as answered with. */
export interface Void {
  jobId: string;
  requestId: string;
}

/** What is left to undo of requests that were answered 5xx. */
export interface Voids extends AsyncDisposable {
  /**
   * Has the job undone, or fenced, unless another request was answered with it; as soon as MongoDB can be reached, and
   * tries until then. Few can be pending: while MongoDB is away no request gets as far as having a job.
   */
  enqueue(pair: Void): void;
}

const ATTEMPT_MS = 10_000;
const PAUSE_MS = 1000;
/** How long a process that stops goes on with what is left, unless its shutdown ends before. */
const GRACE_MS = 20_000;

export function createVoids(jobs: Pick<JobStore, 'void'>, logger: FastifyBaseLogger): Voids {
  const pending = new Map<string, Promise<void>>();
  let stopping = false;

  async function voidUntilDone({ jobId, requestId }: Void): Promise<void> {
    for (;;) {
      try {
        const done = await withDeadline(ATTEMPT_MS, jobs.void(jobId, requestId));
        const what = done
          ? 'was undone; any charge was given back'
          : 'was kept: it was deleted, or other requests were answered with it';
        return logger.warn({ jobId }, `A job whose request was answered 5xx ${what}.`);
      } catch (err) {
        if (stopping)
          return logger.error({ jobId, err }, 'A job whose request was answered 5xx was left undecided.');
        await delay(PAUSE_MS);
      }
    }
  }

  return {
    enqueue(pair) {
      const id = `${pair.jobId} ${pair.requestId}`;
      if (pending.has(id)) return;
      // Before anything can stop this process: a job that has no second line in the log was left undecided.
      logger.warn({ jobId: pair.jobId }, 'A job whose request was answered 5xx is being undone.');
      pending.set(
        id,
        voidUntilDone(pair).finally(() => pending.delete(id)),
      );
    },
    async [Symbol.asyncDispose]() {
      const all = Promise.all(pending.values());
      await withDeadline(GRACE_MS, all).catch(() => {});
      stopping = true;
    },
  };
}
