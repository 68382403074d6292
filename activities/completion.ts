import { type EndedJob, type JobFailure, NotFound } from '../stores/ports.ts';
import type { JobRecord } from '../stores/records.ts';
import { removeImagesSoon } from '../stores/removal.ts';
import type { RenderResult } from './rendering.ts';
import { RETENTION, type RetentionDeps } from './retention.ts';
import { noticeOf, type WebhookNotice } from './webhook-notices.ts';

/** How a job stands once it has ended, and the webhook that is to notify of it. */
export interface JobEnd {
  status: JobRecord['status'];
  webhook: WebhookNotice | null;
  /** Whether the account now has more completed jobs than are kept, and this one is to see to it. */
  overLimit: boolean;
}

/** Jobs of this tool count towards the limit of completed jobs, but do not apply it (spec: Retention and deletion). */
const EVICTS_NONE = 'virtual-staging';

export type CompletionDeps = RetentionDeps;

export function createCompletionActivities(deps: CompletionDeps) {
  const { jobs } = deps.stores;
  return {
    /** Idempotent: only a job that is still processing changes. */
    completeJob: (jobId: string, result: RenderResult): Promise<JobEnd> => complete(deps, jobId, result),

    /** Marks the job failed and gives its charge back, in one transaction. Idempotent. */
    failJob: async (jobId: string, end: JobFailure): Promise<JobEnd> =>
      jobEnd(deps, await jobs.fail(jobId, end)),
  };
}

/**
 * Completes the job with these results. When it ended otherwise meanwhile, or was undone, they are removed, so that
 * nothing which no job names stays public.
 * @throws NotFound when the job was undone
 */
export async function complete(
  deps: CompletionDeps,
  jobId: string,
  { results, processingMs }: RenderResult,
): Promise<JobEnd> {
  try {
    const ended = await deps.stores.jobs.complete(jobId, { results, processingMs });
    const kept = new Set(ended.job.results.map(({ key }) => key));
    const lost = results.filter(({ key }) => !kept.has(key));
    if (lost.length > 0) await removeImagesSoon(deps, lost);
    return jobEnd(deps, ended);
  } catch (error) {
    if (error instanceof NotFound) await removeImagesSoon(deps, results);
    throw error;
  }
}

/** What is left to do about a job that has ended. A delivery that has ended already is not made again. */
export async function jobEnd(deps: CompletionDeps, { job, delivery }: EndedJob): Promise<JobEnd> {
  const webhook = delivery?.state === 'pending' ? noticeOf(delivery) : null;
  return { status: job.status, webhook, overLimit: await bringsSurplus(deps, job) };
}

async function bringsSurplus(
  { stores, retention }: CompletionDeps,
  { status, tool, accountId }: JobRecord,
): Promise<boolean> {
  if (status !== 'completed' || tool === EVICTS_NONE) return false;
  const { completedJobsPerAccount: kept } = { ...RETENTION, ...retention };
  return (await stores.retention.surplus(accountId, kept, 1)).length > 0;
}
