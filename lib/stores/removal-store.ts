import type { ObjectRef } from '../domain/records.ts';
import type { RemovalFailure } from '../domain/remove-images.ts';

/** Outbox of objects to remove from the image store. A row is deleted once its object is. */
export interface RemovalStore {
  /** Idempotent. */
  enqueue(refs: readonly ObjectRef[]): Promise<void>;
  /** Records an attempt to remove `refs`: deletes their rows, and stores the failed ones with the reason. */
  markRemoved(refs: readonly ObjectRef[], failures: readonly RemovalFailure[]): Promise<void>;
  /** One page in a fixed order; `next` is `after` of the next page. */
  pending(after: string, limit: number): Promise<{ refs: ObjectRef[]; next: string | null }>;
  /** Number of rows, approximately, and when the oldest was enqueued; null if there is none. */
  backlog(): Promise<{ count: number; oldest: Date | null }>;
}
