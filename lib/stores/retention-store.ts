import type { ObjectRef } from '../domain/records.ts';

/** Queries for the retention rules and the reconciler. Each uses an index and is bounded by its limit. */
export interface RetentionStore {
  /** Keys that have `retention_days`, ordered by id. */
  keys(after: string, limit: number): Promise<{ id: string; retentionDays: number }[]>;
  /** Ended jobs of a key, the oldest first, without those in `except`. */
  expired(keyId: string, createdBefore: Date, limit: number, except?: readonly string[]): Promise<string[]>;
  /** Completed jobs of the account beyond its newest `keep`, the oldest first. */
  surplus(accountId: string, keep: number, limit: number): Promise<string[]>;
  /** Failed jobs that still have their input, without those in `except`. */
  failedWithInput(createdBefore: Date, limit: number, except?: readonly string[]): Promise<string[]>;
  /** Jobs that have been processing for longer than `olderThanMs` by the clock of the store, ordered by id. */
  processing(
    olderThanMs: number,
    after: string,
    limit: number,
  ): Promise<{ id: string; workflowId: string; ageMs: number }[]>;
  /** When the oldest job that is processing was created; null if none is. */
  oldestProcessing(): Promise<Date | null>;
  /** Ended jobs of closed accounts that are not deleted yet, without those in `except`. */
  ofClosedAccounts(limit: number, except?: readonly string[]): Promise<string[]>;
  /** Returns the objects that belong to no job. */
  unowned(refs: readonly ObjectRef[]): Promise<ObjectRef[]>;
  /** Whether any job has an object in the bucket. */
  hasImages(bucket: ObjectRef['bucket']): Promise<boolean>;
}
