import type { LedgerEntry } from '../contract/lists.ts';
import type { FailureReason, Job } from '../contract/schemas.ts';
import type { JobRecord, LedgerRow } from './records.ts';

/** The job as the API returns it (spec: Job). @throws Error for a deleted job */
export function presentJob(job: JobRecord, images: { resultUrl(key: string): string }): Job {
  if (job.status === 'deleted') throw new Error(`Job ${job.id} is deleted and must not be returned.`);
  return {
    job_id: job.id,
    tool: job.tool,
    status: job.status,
    images_charged: job.imagesCharged,
    result_urls: job.results.map(({ key }) => images.resultUrl(key)),
    error: job.error,
    created_at: job.createdAt.toISOString(),
    completed_at: job.completedAt?.toISOString() ?? null,
    processing_ms: job.processingMs,
    // A job fails in the transaction that refunds it.
    refunded: job.status === 'failed',
    failure: failureOf(job),
    idempotency_key: job.idempotencyKey,
  };
}

function failureOf({ failureReason: reason }: JobRecord): Job['failure'] {
  return reason === undefined ? null : { reason, retryable: RETRYABLE[reason] };
}

/** A row of the ledger as the API returns it. An operator's `reason` is not shown. */
export const presentLedgerRow = (row: LedgerRow): LedgerEntry => ({
  id: row.id,
  at: row.at.toISOString(),
  kind: row.kind,
  images: row.delta,
  balance_after: row.balanceAfter,
  job_id: row.jobId,
  pack_id: row.packId,
});

/** Whether the same request may succeed later. */
const RETRYABLE: Readonly<Record<FailureReason, boolean>> = {
  safety: false,
  no_result: true,
  invalid_input: false,
  unavailable: true,
  cancelled: true,
};
