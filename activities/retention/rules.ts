import { LIMITS } from '../../lib/contract/limits.ts';

export const DAY_MS = 24 * 3_600_000;

/** What retention applies. Ages are in milliseconds. */
export interface RetentionRules {
  completedJobsPerAccount: number;
  failedInputMs: number;
  /** Age at which an object that belongs to no job is recorded as an orphan. */
  orphanedInputMs: number;
  orphanedResultMs: number;
  /** How long a recorded orphan is kept. */
  orphanedInputKeptMs: number;
  orphanedResultKeptMs: number;
  /**
   * If there are more orphans than this part of the bucket and than `orphansAlways`, an operator
   * has to agree.
   */
  orphanShare: number;
  orphansAlways: number;
  /** Jobs deleted in one transaction. */
  batch: number;
  /** Accounts audited by one activity. */
  auditPage: number;
}

/** The rules of version 1 (spec: Retention and deletion). */
export const RETENTION: RetentionRules = Object.freeze({
  completedJobsPerAccount: LIMITS.completedJobsPerAccount,
  failedInputMs: LIMITS.failedInputDays * DAY_MS,
  // An input is stored seconds before its job, so a day is ample.
  orphanedInputMs: DAY_MS,
  // The job of a stored result is completed later, after an outage of the worker at worst.
  orphanedResultMs: 7 * DAY_MS,
  // Time for an operator to recover lost jobs after a restore of MongoDB. Inputs are private and go
  // sooner.
  orphanedInputKeptMs: 7 * DAY_MS,
  orphanedResultKeptMs: 30 * DAY_MS,
  orphanShare: 0.02,
  orphansAlways: 100,
  batch: 500,
  auditPage: 100,
});
