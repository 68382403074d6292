import type { Stores } from '../stores/ports.ts';
import type { RenderFailure, RenderResult } from './rendering.ts';

export function createCompletionActivities({ stores }: { stores: Stores }) {
  return {
    /** Safe to repeat: only a job that is still processing changes. */
    async completeJob(jobId: string, end: RenderResult): Promise<void> {
      await stores.jobs.complete(jobId, end);
    },

    /** Marks the job failed and gives its charge back, in one transaction. Safe to repeat. */
    async failJob(jobId: string, end: RenderFailure): Promise<void> {
      await stores.jobs.fail(jobId, end);
    },
  };
}
