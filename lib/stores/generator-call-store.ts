import type { Beginning, CallChanges, GeneratorCall, NewCall } from '../domain/generator-call.ts';

/**
 * The calls that jobs have made to upstreams. They are part of their jobs. See CallLog, which is
 * this store for one job.
 */
export interface GeneratorCallStore {
  /** The oldest first; none for an unknown job. */
  list(jobId: string): Promise<GeneratorCall[]>;
  /** See CallLog.begin. */
  begin(jobId: string, call: NewCall, listed: readonly GeneratorCall[]): Promise<Beginning>;
  /**
   * Records that a local generator renders; from then on JobStore.cancel refuses. Idempotent.
   * @returns false when the job is no longer processing
   */
  beginLocal(jobId: string): Promise<boolean>;
  /** See CallLog.beat. */
  beat(jobId: string, callId: string): Promise<boolean>;
  /**
   * See CallLog.update. Changes nothing when there is no such call. Calls of a job that has ended
   * can change as well.
   */
  update(jobId: string, callId: string, changes: CallChanges): Promise<boolean>;
  /**
   * Jobs that are no longer processing and have a call without an outcome, ordered by id; voided
   * and deleted jobs too.
   * @param after id of the last job of the page before, '' for the first page
   */
  openOfEnded(after: string, limit: number): Promise<string[]>;
}
