import { ApiError } from '../../contract/errors.ts';
import type { JobReplayed } from '../../contract/schemas.ts';
import type { IdempotencyRow } from '../../stores/ports.ts';
import { presentJob } from '../../stores/present.ts';
import type { ApiDeps } from '../deps.ts';
import type { Claims } from './claims.ts';

export const jobDeleted = () =>
  new ApiError(
    'job_not_found',
    'The job of this Idempotency-Key was deleted. Use a new key to render again.',
  );

/**
 * The answer to a request whose key is already spent (spec: Idempotent replay): the job as it stands and the first
 * request's warnings.
 * @returns `again` when the job was undone since the row was read: the key is unspent
 * @throws ApiError idempotency_conflict when the body is another, job_not_found when the job is gone
 */
export async function replay(
  deps: ApiDeps,
  claims: Claims,
  spent: IdempotencyRow,
  bodyDigest: string,
): Promise<JobReplayed | 'again'> {
  if (spent.bodyDigest !== bodyDigest)
    throw new ApiError(
      'idempotency_conflict',
      'This Idempotency-Key was used with a different body. Send the first body again, or use a new key.',
    );
  claims.add(spent.jobId);
  const job = await deps.stores.jobs.markAnswered(spent.jobId, claims.requestId);
  if (job === 'voided') {
    claims.drop(spent.jobId);
    return 'again';
  }
  if (job === undefined) throw jobDeleted();
  return { ...presentJob(job, deps.images), warnings: job.warnings };
}
