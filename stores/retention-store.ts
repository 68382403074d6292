import type { ObjectRef } from '../domain/records.ts';

/** Queries for the retention rules. Each uses an index and is bounded by its limit. */
export interface RetentionStore {
  /** Keys that have `retention_days`, ordered by id. */
  keys(after: string, limit: number): Promise<{ id: string; retentionDays: number }[]>;
  /** Ended jobs of a key, the oldest first, without those in `except`. */
  expired(keyId: string, createdBefore: Date, limit: number, except?: readonly string[]): Promise<string[]>;
  /** Completed jobs of the account beyond its newest `keep`, the oldest first. */
  surplus(accountId: string, keep: number, limit: number): Promise<string[]>;
  /** Failed jobs that still have their input, without those in `except`. */
  failedWithInput(createdBefore: Date, limit: number, except?: readonly string[]): Promise<string[]>;
  /** Jobs still processing, ordered by id. */
  processing(
    createdBefore: Date,
    after: string,
    limit: number,
  ): Promise<{ id: string; workflowId: string }[]>;
  /** Returns the objects that belong to no job. */
  unowned(refs: readonly ObjectRef[]): Promise<ObjectRef[]>;
}
