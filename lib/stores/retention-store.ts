import type { ObjectRef } from '../domain/records.ts';
import type { RemovalFailure } from '../domain/remove-images.ts';

/**
 * Queries for the retention rules and the reconciler. Each uses an index and is bounded by its
 * limit.
 */
export interface RetentionStore {
  /** Keys that have `retention_days`, ordered by id. */
  keys(after: string, limit: number): Promise<{ id: string; retentionDays: number }[]>;
  /** Ended jobs of a key, the oldest first, without those in `except`. */
  expired(keyId: string, createdBefore: Date, limit: number, except?: readonly string[]): Promise<string[]>;
  /** Completed jobs of the account beyond its newest `keep`, the oldest first. */
  surplus(accountId: string, keep: number, limit: number): Promise<string[]>;
  /** Failed jobs that still have their input, without those in `except`. */
  failedWithInput(createdBefore: Date, limit: number, except?: readonly string[]): Promise<string[]>;
  /**
   * Jobs that have been processing for longer than `olderThanMs` by the clock of the store, ordered
   * by id.
   */
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

/** Outbox of objects to remove from the image store. A row is deleted once its object is. */
export interface RemovalStore {
  /** Idempotent. */
  enqueue(refs: readonly ObjectRef[]): Promise<void>;
  /**
   * Records an attempt to remove `refs`: deletes their rows, and stores the failed ones with the
   * reason.
   */
  markRemoved(refs: readonly ObjectRef[], failures: readonly RemovalFailure[]): Promise<void>;
  /** One page in a fixed order; `next` is `after` of the next page. */
  pending(after: string, limit: number): Promise<{ refs: ObjectRef[]; next: string | null }>;
  /** Number of rows, approximately, and when the oldest was enqueued; null if there is none. */
  backlog(): Promise<{ count: number; oldest: Date | null }>;
}

type Bucket = ObjectRef['bucket'];

/**
 * Stored objects that belong to no job, with the time at which they were first seen, by MongoDB's
 * clock.
 */
export interface OrphanStore {
  /**
   * Makes `keys` the rows of a range of keys. Rows that exist keep their time. Other rows of the
   * range are deleted, because their objects have a job now or are gone. Idempotent.
   * @param range the keys after `after` up to and including `until`; null for all others of the
   * bucket
   * @param confirmed an operator has agreed to the removal of these orphans, and of those in the
   * range
   * @returns the number of rows in the range that no operator has agreed to
   */
  record(
    bucket: Bucket,
    range: { after: string; until: string | null },
    keys: readonly string[],
    confirmed: boolean,
  ): Promise<number>;
  /**
   * One page in the order of the keys: orphans that were first seen at least `keptMs` ago. `next`
   * is `after` of the next page.
   */
  due(
    bucket: Bucket,
    keptMs: number,
    after: string,
    limit: number,
  ): Promise<{ refs: ObjectRef[]; next: string | null }>;
  /**
   * Enqueues the objects that still have no job in `removals`, and deletes the rows of all, in one
   * transaction.
   * @returns the enqueued objects
   */
  enqueueRemovals(refs: readonly ObjectRef[]): Promise<ObjectRef[]>;
}

/**
 * Outbox of workflows of deleted jobs, whose histories contain the inputs. A row is deleted with
 * its history.
 */
export interface HistoryStore {
  /** One page of workflow ids; `next` is `after` of the next page. */
  pending(after: string, limit: number): Promise<{ workflowIds: string[]; next: string | null }>;
  /** Deletes the rows of workflows whose histories are deleted. Idempotent. */
  markDeleted(workflowIds: readonly string[]): Promise<void>;
}
