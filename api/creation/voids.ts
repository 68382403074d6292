import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { withDeadline } from '../../runtime.ts';
import type { JobStore } from '../../stores/ports.ts';

/** Jobs whose requests were answered 5xx while MongoDB could not be asked whether they were accepted. */
export interface Voids extends AsyncDisposable {
  /** Has the job undone, or fenced, as soon as MongoDB can be reached; tries until then. */
  enqueue(jobId: string): void;
}

const ATTEMPT_MS = 10_000;
const PAUSE_MS = 1000;
/** How long a process that stops goes on with what is left. */
const GRACE_MS = 20_000;

export function createVoids(jobs: Pick<JobStore, 'void'>, logger: FastifyBaseLogger): Voids {
  const pending = new Map<string, Promise<void>>();
  let stopping = false;

  async function voidUntilDone(jobId: string): Promise<void> {
    for (;;) {
      try {
        const done = await withDeadline(ATTEMPT_MS, jobs.void(jobId));
        const what = done
          ? 'is fenced, and a charge it had was given back'
          : 'stands: a later request got it';
        return logger.warn({ jobId }, `A job whose request was answered 500 ${what}.`);
      } catch (err) {
        if (stopping)
          return logger.error({ jobId, err }, 'A job whose request was answered 500 was left undecided.');
        await delay(PAUSE_MS);
      }
    }
  }

  return {
    enqueue(jobId) {
      if (pending.has(jobId)) return;
      pending.set(
        jobId,
        voidUntilDone(jobId).finally(() => pending.delete(jobId)),
      );
    },
    async [Symbol.asyncDispose]() {
      const all = Promise.all(pending.values());
      await withDeadline(GRACE_MS, all).catch(() => {});
      stopping = true;
    },
  };
}
