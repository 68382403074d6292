import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { withDeadline } from '../../lib/process/process.ts';
import type { JobStore } from '../../lib/stores/job-store.ts';

/**
 * A request that ended in 5xx, and its job. The request may have created the job, or may be in the
 * list of requests that were answered with it.
 */
export interface Void {
  jobId: string;
  requestId: string;
}

/** Voids the jobs of requests that ended in 5xx. */
export interface Voids extends AsyncDisposable {
  /**
   * Voids or fences the job, unless another request returned it. Retried until MongoDB can be
   * reached. Only a few can be pending, since no request gets as far as having a job while MongoDB
   * is unavailable.
   */
  enqueue(pair: Void): void;
}

const ATTEMPT_MS = 10_000;
const PAUSE_MS = 1000;
/** How long a process that shuts down keeps retrying, unless its shutdown ends earlier. */
const GRACE_MS = 20_000;

export function createVoids(jobs: Pick<JobStore, 'void'>, logger: FastifyBaseLogger): Voids {
  const pending = new Map<string, Promise<void>>();
  let stopping = false;

  async function voidUntilDone({ jobId, requestId }: Void): Promise<void> {
    for (;;) {
      try {
        const done = await withDeadline(ATTEMPT_MS, jobs.void(jobId, requestId));
        const result = done
          ? 'was undone; any charge was refunded'
          : 'was kept: it was deleted, or another request returned it';
        return logger.warn({ jobId }, `A job whose request ended in 5xx ${result}.`);
      } catch (err) {
        if (stopping)
          return logger.error({ jobId, err }, 'A job whose request ended in 5xx was left undecided.');
        await delay(PAUSE_MS);
      }
    }
  }

  return {
    enqueue(pair) {
      const id = `${pair.jobId} ${pair.requestId}`;
      if (pending.has(id)) return;
      // Logged first: if the process is killed, a job without a second log line is undecided.
      logger.warn({ jobId: pair.jobId }, 'A job whose request ended in 5xx is being undone.');
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

/** The jobs that one request may return. They are voided if the request ends in 5xx. */
export interface Compensations {
  /** A new id for the request, and for the job it may create. Never the client's X-Request-Id. */
  readonly requestId: string;
  /** To be called before MongoDB records that the request returns the job. */
  add(jobId: string): void;
  /** The job is known not to exist, now or later. */
  remove(jobId: string): void;
  /** The request ends in 5xx: enqueues its jobs to be voided. Idempotent. */
  run(): void;
}

export function createCompensations(voids: Pick<Voids, 'enqueue'>): Compensations {
  const requestId = randomUUID();
  const jobIds = new Set<string>();
  return {
    requestId,
    add: (jobId) => jobIds.add(jobId),
    remove: (jobId) => jobIds.delete(jobId),
    run() {
      for (const jobId of jobIds) voids.enqueue({ jobId, requestId });
    },
  };
}
