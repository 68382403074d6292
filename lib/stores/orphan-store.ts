import type { ObjectRef } from '../domain/records.ts';

type Bucket = ObjectRef['bucket'];

/** Stored objects that belong to no job, with the time at which they were first seen, by MongoDB's clock. */
export interface OrphanStore {
  /**
   * Makes the rows of a range of keys those of `keys`. Rows that are there already keep their time; others of the range
   * are deleted: their objects have a job now, or are gone. Idempotent.
   * @param range the keys after `after` up to and including `until`; null for all others of the bucket
   * @param confirmed an operator has agreed to the removal of these orphans, and of those in the range
   * @returns how many rows of the range nobody has agreed to
   */
  record(
    bucket: Bucket,
    range: { after: string; until: string | null },
    keys: readonly string[],
    confirmed: boolean,
  ): Promise<number>;
  /** One page in the order of the keys: those seen at least `keptMs` ago. `next` is `after` of the next page. */
  due(
    bucket: Bucket,
    keptMs: number,
    after: string,
    limit: number,
  ): Promise<{ refs: ObjectRef[]; next: string | null }>;
  /**
   * Enqueues objects in `removals`, but for those that have got a job, and deletes the rows of all, in one transaction.
   * @returns the enqueued ones
   */
  enqueueRemovals(refs: readonly ObjectRef[]): Promise<ObjectRef[]>;
}
