import { LIMITS } from '../contract/limits.ts';
import type { ImageStore } from '../stores/images.ts';
import type { Stores } from '../stores/ports.ts';
import { removeImagesSoon } from '../stores/removal.ts';

export const DAY_MS = 24 * 3_600_000;

/** When something is to go; times in milliseconds. */
export interface RetentionRules {
  completedJobsPerAccount: number;
  failedInputMs: number;
  orphanedInputMs: number;
  orphanedResultMs: number;
  lostJobMs: number;
  /** Jobs one transaction deletes. */
  batch: number;
}

/** The rules of version 1 (spec: Retention and deletion). */
export const RETENTION: RetentionRules = Object.freeze({
  completedJobsPerAccount: LIMITS.completedJobsPerAccount,
  failedInputMs: LIMITS.failedInputDays * DAY_MS,
  // An input is stored seconds before its job is, so a day is ample.
  orphanedInputMs: DAY_MS,
  // A result waits for its job for as long as the worker is away.
  orphanedResultMs: 7 * DAY_MS,
  // A job that is younger may still be on its way to its workflow.
  lostJobMs: 10 * 60_000,
  batch: 500,
});

/** Jobs one run of the cap deletes; it is a local activity and has to stay short. */
const CAP_BATCH = 100;

export interface RetentionDeps {
  stores: Stores;
  images: ImageStore;
  /** Other rules than {@link RETENTION}, for tests. */
  retention?: Partial<RetentionRules>;
}

export function createRetentionActivities({ stores, images, retention }: RetentionDeps) {
  const { completedJobsPerAccount: kept } = { ...RETENTION, ...retention };
  return {
    /** Deletes the oldest of the account's completed jobs beyond the limit. @returns whether more are left to delete */
    async enforceJobLimit(accountId: string): Promise<boolean> {
      const surplus = await stores.retention.surplus(accountId, kept, CAP_BATCH);
      if (surplus.length === 0) return false;
      const deleted = await stores.jobs.remove(surplus);
      await removeImagesSoon(
        { stores, images },
        deleted.flatMap(({ objects }) => objects),
      );
      return surplus.length === CAP_BATCH;
    },
  };
}
