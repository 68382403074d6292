import type { CallChanges, GeneratorCall, NewCall } from '../domain/generator-call.ts';

/** The calls that jobs have made to upstreams. See CallLog, which is this store for one job. */
export interface GeneratorCallStore {
  /** The oldest first. */
  list(jobId: string): Promise<GeneratorCall[]>;
  /** See CallLog.begin. */
  begin(jobId: string, call: NewCall): Promise<string | undefined>;
  /**
   * Records that a local generator renders; from then on JobStore.cancel refuses. Idempotent.
   * @returns false when the job has ended
   */
  beginLocal(jobId: string): Promise<boolean>;
  /** See CallLog.update. Changes nothing when there is no such call. */
  update(jobId: string, callId: string, changes: CallChanges): Promise<boolean>;
  /** Lets the job begin no further call. Idempotent. @returns its calls */
  close(jobId: string): Promise<GeneratorCall[]>;
}
