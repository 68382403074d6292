import type { Stores } from '../stores/ports.ts';
import type { JobRecord } from '../stores/records.ts';
import type { RenderFailure, RenderResult } from './rendering.ts';
import { planWebhook, type WebhookNotice } from './webhook-notices.ts';

/** How a job stands once it has ended, and the webhook that is to say so, if anybody is to be told. */
export interface JobEnd {
  status: JobRecord['status'];
  webhook: WebhookNotice | null;
}

export function createCompletionActivities({ stores }: { stores: Stores }) {
  const ended = async (job: JobRecord): Promise<JobEnd> => ({
    status: job.status,
    webhook: await planWebhook(stores, job),
  });
  return {
    /** Safe to repeat: only a job that is still processing changes. */
    completeJob: async (jobId: string, end: RenderResult): Promise<JobEnd> =>
      ended(await stores.jobs.complete(jobId, end)),

    /** Marks the job failed and gives its charge back, in one transaction. Safe to repeat. */
    failJob: async (jobId: string, end: RenderFailure): Promise<JobEnd> =>
      ended(await stores.jobs.fail(jobId, end)),
  };
}
