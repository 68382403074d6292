import type { JobRecord } from '../stores/records.ts';
import type { RenderFailure, RenderResult } from './rendering.ts';
import { RETENTION, type RetentionDeps } from './retention.ts';
import { planWebhook, type WebhookNotice } from './webhook-notices.ts';

/** How a job stands once it has ended, and the webhook that is to say so, if anybody is to be told. */
export interface JobEnd {
  status: JobRecord['status'];
  webhook: WebhookNotice | null;
  /** Whether the account now has more completed jobs than are kept, and this one is to see to it. */
  overLimit: boolean;
}

/** Jobs of this tool count towards the limit of completed jobs, but do not apply it (spec: Retention and deletion). */
const EVICTS_NONE = 'virtual-staging';

export function createCompletionActivities({
  stores,
  retention,
}: Pick<RetentionDeps, 'stores' | 'retention'>) {
  const { completedJobsPerAccount: kept } = { ...RETENTION, ...retention };

  async function ended(job: JobRecord): Promise<JobEnd> {
    const [webhook, overLimit] = await Promise.all([planWebhook(stores, job), bringsSurplus(job)]);
    return { status: job.status, webhook, overLimit };
  }

  async function bringsSurplus({ status, tool, accountId }: JobRecord): Promise<boolean> {
    if (status !== 'completed' || tool === EVICTS_NONE) return false;
    return (await stores.retention.surplus(accountId, kept, 1)).length > 0;
  }

  return {
    /** Safe to repeat: only a job that is still processing changes. */
    completeJob: async (jobId: string, end: RenderResult): Promise<JobEnd> =>
      ended(await stores.jobs.complete(jobId, end)),

    /** Marks the job failed and gives its charge back, in one transaction. Safe to repeat. */
    failJob: async (jobId: string, end: RenderFailure): Promise<JobEnd> =>
      ended(await stores.jobs.fail(jobId, end)),
  };
}
