import { FIRST_CYCLE } from '../../domain/delivery.ts';
import { NotFound } from '../../domain/errors.ts';
import { countsTowardsLimit } from '../../domain/failures.ts';
import { isOpen } from '../../domain/generator-call.ts';
import type { JobFailure, JobRecord } from '../../domain/records.ts';
import { removeImagesSoon } from '../../domain/remove-images.ts';
import type { ImageStore } from '../../stores/image-store.ts';
import type { EndedJob } from '../../stores/job-store.ts';
import { type JobLimitDeps, RETENTION } from '../retention/job-limit.ts';
import { type PendingDelivery, pendingDeliveryOf } from '../webhooks/pending-delivery.ts';
import type { RenderResult } from './rendering.ts';

/** State of a job that has ended, and what the workflow still has to do. */
export interface JobEnd {
  status: JobRecord['status'];
  webhook: PendingDelivery | null;
  /** Whether the account now exceeds the limit of completed jobs, and this job has to enforce it. */
  overLimit: boolean;
  /** For the Temporal UI; absent in results of version 0.1.0. */
  resultUrls?: string[];
}

/** End of a job without a result. */
export interface FailedJob extends JobEnd {
  /** Whether tasks may still be running at upstreams; absent in histories of earlier versions. */
  hasOpenCalls?: boolean;
  /** What the job was failed with, perhaps by somebody else; absent as well. */
  error?: string | null;
}

/** Jobs of this tool count towards the limit of completed jobs but do not enforce it (spec: Retention and deletion). */
const NEVER_EVICTS = 'virtual-staging';

export type CompletionDeps = JobLimitDeps & { images: Pick<ImageStore, 'resultUrl'> };

export function createCompletionActivities(deps: CompletionDeps) {
  const { jobs, generatorCalls } = deps.stores;
  return {
    /** Idempotent: changes only a job that is still processing. */
    completeJob: (jobId: string, result: RenderResult): Promise<JobEnd> => complete(deps, jobId, result),

    /** Marks the job failed and refunds it, in one transaction, and lets it make no further calls. Idempotent. */
    async failJob(jobId: string, failure: JobFailure): Promise<FailedJob> {
      // In this order, so that no call begins that is not looked at.
      const calls = await generatorCalls.close(jobId);
      const { clientFault: _, ...end } = failure;
      const ended = await jobs.fail(jobId, { ...end, counted: countsTowardsLimit(failure, calls) });
      return { ...(await jobEnd(deps, ended)), hasOpenCalls: calls.some(isOpen), error: ended.job.error };
    },
  };
}

/**
 * Completes the job with these results. Removes the results that the job does not use, because it had already ended or
 * was voided: they are public objects that belong to no job.
 * @throws NotFound when the job was voided
 */
export async function complete(
  deps: CompletionDeps,
  jobId: string,
  { results, processingMs, generator }: RenderResult,
): Promise<JobEnd> {
  try {
    const ended = await deps.stores.jobs.complete(jobId, {
      results,
      processingMs,
      ...(generator === undefined ? {} : { generator }),
    });
    const used = new Set(ended.job.results.map(({ key }) => key));
    const unused = results.filter(({ key }) => !used.has(key));
    if (unused.length > 0) await removeImagesSoon(deps, unused);
    return jobEnd(deps, ended);
  } catch (error) {
    if (error instanceof NotFound) await removeImagesSoon(deps, results);
    throw error;
  }
}

/**
 * What the workflow still has to do for a job that has ended. A delivery that has ended is not repeated, and a
 * redelivery has a workflow of its own: after a reset, this one does not take it over.
 */
export async function jobEnd(deps: CompletionDeps, { job, delivery }: EndedJob): Promise<JobEnd> {
  const isPending = delivery?.state === 'pending' && delivery.cycle === FIRST_CYCLE;
  const webhook = isPending ? pendingDeliveryOf(delivery) : null;
  const resultUrls = job.results.map(({ key }) => deps.images.resultUrl(key));
  return { status: job.status, webhook, overLimit: await exceedsLimit(deps, job), resultUrls };
}

async function exceedsLimit(
  { stores, retention }: CompletionDeps,
  { status, tool, accountId }: JobRecord,
): Promise<boolean> {
  if (status !== 'completed' || tool === NEVER_EVICTS) return false;
  const { completedJobsPerAccount: limit } = { ...RETENTION, ...retention };
  return (await stores.retention.surplus(accountId, limit, 1)).length > 0;
}
