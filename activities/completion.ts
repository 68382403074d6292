import type { Stores } from '../stores/ports.ts';
import type { RenderFailure, RenderResult } from './rendering.ts';

export function createCompletionActivities({ stores }: { stores: Stores }) {
  return {
    /** Safe to repeat: only a job that is still processing changes. @returns whether it is completed now */
    async completeJob(jobId: string, end: RenderResult): Promise<boolean> {
      return (await stores.jobs.complete(jobId, end)).status === 'completed';
    },

    /** Marks the job failed and gives its charge back, in one transaction. Safe to repeat. */
    async failJob(jobId: string, end: RenderFailure): Promise<void> {
      await stores.jobs.fail(jobId, end);
    },
  };
}
