import { idempotencyConflict, jobOfKeyDeleted } from '../../lib/contract/api-errors.ts';
import type { JobReplayed } from '../../lib/contract/schemas.ts';
import { presentJob } from '../../lib/domain/present.ts';
import type { IdempotencyRow } from '../../lib/stores/job-store.ts';
import type { ApiDeps } from '../deps.ts';
import { isSameBody } from '../intake/digest.ts';
import type { Compensations } from './compensations.ts';

/**
 * The response to a request whose key is already used (spec: Idempotent replay): the current job and the warnings of
 * the first request.
 * @returns `again` when the job was voided after the row was read, so that the key can be used
 * @throws ApiError idempotency_conflict when the body differs, job_not_found when the job was deleted
 */
export async function replay(
  deps: ApiDeps,
  compensations: Compensations,
  spent: IdempotencyRow,
  bodyDigest: string,
): Promise<JobReplayed | 'again'> {
  if (!isSameBody(spent.bodyDigest, bodyDigest)) throw idempotencyConflict();
  compensations.add(spent.jobId);
  const job = await deps.stores.jobs.recordReturned(spent.jobId, compensations.requestId);
  if (job === 'voided') {
    compensations.remove(spent.jobId);
    return 'again';
  }
  if (job === undefined) throw jobOfKeyDeleted();
  return { ...presentJob(job, deps.images), warnings: job.warnings };
}
