import { LIMITS } from '../../lib/contract/limits.ts';
import { FIRST_CYCLE } from '../../lib/domain/delivery.ts';
import { NotFound } from '../../lib/domain/errors.ts';
import { countsTowardsLimit } from '../../lib/domain/failures.ts';
import { isOpen, unusedResults } from '../../lib/domain/generator-call.ts';
import type { JobFailure, JobRecord, ObjectRef } from '../../lib/domain/records.ts';
import { removeImagesSoon } from '../../lib/domain/remove-images.ts';
import type { JobEnd, RenderResult } from '../../lib/protocol/render.ts';
import type { ImageStore } from '../../lib/stores/image-store.ts';
import type { EndedJob } from '../../lib/stores/job-store.ts';
import type { Stores } from '../../lib/stores/stores.ts';
import type { RetentionRules } from '../retention/rules.ts';
import { pendingDeliveryOf } from '../webhooks/pending-delivery.ts';

/**
 * A completed job of this tool counts towards the limit of jobs, but deletes no job (spec:
 * Retention and deletion).
 */
const NEVER_EVICTS = 'virtual-staging';

/** Jobs deleted per call. A local activity has to be short. */
const LIMIT_BATCH = 100;

export interface CompletionDeps {
  stores: Stores;
  images: Pick<ImageStore, 'remove' | 'resultUrl'>;
  /** Overrides of the rules, for tests. */
  retention?: Partial<RetentionRules>;
}

/** The local activities of the job's workflow after the render. */
export function createCompletionActivities(deps: CompletionDeps) {
  const { jobs, generatorCalls } = deps.stores;
  return {
    /** Idempotent: changes only a job that is still processing. */
    completeJob: (jobId: string, result: RenderResult): Promise<JobEnd> => complete(deps, jobId, result),

    /**
     * Marks the job failed and refunds it, in one transaction; from then on it makes no call.
     * Idempotent.
     */
    async failJob(jobId: string, failure: JobFailure): Promise<JobEnd> {
      const { clientFault: _, ...end } = failure;
      const counted = countsTowardsLimit(failure, await generatorCalls.list(jobId));
      const ended = await jobs.fail(jobId, { ...end, counted });
      await removeUnused(deps, ended);
      return jobEnd(deps, ended);
    },

    /**
     * Deletes the account's oldest completed jobs beyond the limit, one batch.
     * @returns whether there may be more
     */
    async enforceJobLimit(accountId: string): Promise<boolean> {
      const surplus = await surplusOf(deps, accountId, LIMIT_BATCH);
      if (surplus.length === 0) return false;
      const deleted = await jobs.remove(surplus);
      await removeImagesSoon(
        deps,
        deleted.flatMap(({ objects }) => objects),
      );
      return surplus.length === LIMIT_BATCH;
    },
  };
}

/**
 * Completes the job with these results. If the job had already ended or was voided, removes the
 * results, which are public objects and belong to no job.
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
    await removeUnused(deps, ended, results);
    return jobEnd(deps, ended);
  } catch (error) {
    if (error instanceof NotFound) await removeImagesSoon(deps, results);
    throw error;
  }
}

/** Removes the results of the job's calls, and of this attempt, that the job does not use. */
async function removeUnused(
  deps: CompletionDeps,
  { job, calls }: EndedJob,
  results: readonly ObjectRef[] = [],
): Promise<void> {
  const stored = [...calls, ...results.map((result) => ({ result }))];
  const unused = unusedResults(stored, job.results);
  if (unused.length > 0) await removeImagesSoon(deps, unused);
}

/**
 * What the workflow still has to do for a job that has ended. A delivery that has ended is not
 * repeated. A redelivery has a workflow of its own, so the job's workflow leaves it alone after a
 * reset.
 */
export async function jobEnd(deps: CompletionDeps, { job, delivery, calls }: EndedJob): Promise<JobEnd> {
  const isPending = delivery?.state === 'pending' && delivery.cycle === FIRST_CYCLE;
  const webhook = isPending ? pendingDeliveryOf(delivery) : null;
  const resultUrls = job.results.map(({ key }) => deps.images.resultUrl(key));
  const { status, error } = job;
  const overLimit = await exceedsLimit(deps, job);
  return { status, webhook, overLimit, hasOpenCalls: calls.some(isOpen), error, resultUrls };
}

async function exceedsLimit(deps: CompletionDeps, { status, tool, accountId }: JobRecord): Promise<boolean> {
  if (status !== 'completed' || tool === NEVER_EVICTS) return false;
  return (await surplusOf(deps, accountId, 1)).length > 0;
}

/** Completed jobs of the account beyond its limit, the oldest first; at most `batch`. */
function surplusOf(
  { stores, retention }: CompletionDeps,
  accountId: string,
  batch: number,
): Promise<string[]> {
  const limit = retention?.completedJobsPerAccount ?? LIMITS.completedJobsPerAccount;
  return stores.retention.surplus(accountId, limit, batch);
}
