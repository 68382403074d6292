import { ApiError } from '../../contract/errors.ts';
import type { JobReplayed } from '../../contract/schemas.ts';
import { presentJob } from '../../domain/present.ts';
import type { IdempotencyRow } from '../../stores/ports.ts';
import type { ApiDeps } from '../deps.ts';
import type { Compensations } from './compensations.ts';

export const jobDeleted = () =>
  new ApiError(
    'job_not_found',
    'The job of this Idempotency-Key was deleted. Use a new key to render again.',
  );

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
  if (spent.bodyDigest !== bodyDigest)
    throw new ApiError(
      'idempotency_conflict',
      'This Idempotency-Key was used with a different body. Send the first body again, or use a new key.',
    );
  compensations.add(spent.jobId);
  const job = await deps.stores.jobs.markAnswered(spent.jobId, compensations.requestId);
  if (job === 'voided') {
    compensations.remove(spent.jobId);
    return 'again';
  }
  if (job === undefined) throw jobDeleted();
  return { ...presentJob(job, deps.images), warnings: job.warnings };
}
