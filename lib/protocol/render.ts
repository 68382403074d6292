import type { Plan } from '../catalog/catalog.ts';
import type { CallSummary } from '../domain/generator-call.ts';
import type { ImageFormat, JobRecord, ObjectRef } from '../domain/records.ts';
import type { PendingDelivery } from './webhooks.ts';

/** What the render activity is started with. */
export interface RenderInput {
  jobId: string;
  accountId: string;
  plan: Plan;
  format: ImageFormat;
  input: ObjectRef;
  /** Whether the job may have ended before the first attempt, because the workflow was reset. */
  mayHaveEnded: boolean;
}

export interface RenderResult {
  results: ObjectRef[];
  /**
   * Milliseconds from the start of the first attempt; after a retry, its wait for a renderer counts
   * too.
   */
  processingMs: number;
  /** For the Temporal UI, like `calls`. */
  attempts?: number;
  /** The generator that made the result. */
  generator?: string;
  /** The calls to upstreams; absent where only local generators render. */
  calls?: CallSummary[];
}

/**
 * What the render activity returns. `end` is null when the renderer could not complete the job: the
 * workflow then does.
 */
export interface RenderReport extends RenderResult {
  end: JobEnd | null;
}

/** State of a job that has ended, and what the workflow still has to do. */
export interface JobEnd {
  status: JobRecord['status'];
  webhook: PendingDelivery | null;
  /**
   * Whether the account now exceeds the limit of completed jobs, and this job has to enforce it.
   */
  overLimit: boolean;
  /** Whether tasks may still be running at upstreams. */
  hasOpenCalls: boolean;
  /** The error recorded on the job, perhaps by somebody else. */
  error: string | null;
  /** For the Temporal UI. */
  resultUrls: string[];
}
