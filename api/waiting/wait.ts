import { jobNotFound } from '../../lib/contract/api-errors.ts';
import type { JobRecord } from '../../lib/domain/records.ts';
import type { JobStore } from '../../lib/stores/job-store.ts';
import type { Waiter } from './waiters.ts';

/** See JobStore.find. Without options and warnings, which may take 50 KB of memory while a request waits. */
export async function findBrief(
  jobs: Pick<JobStore, 'find'>,
  accountId: string,
  jobId: string,
): Promise<JobRecord | undefined> {
  const job = await jobs.find(accountId, jobId);
  return job && { ...job, options: {}, warnings: [] };
}

/**
 * The job once it has ended, or as it is when the time is up; `revoked` if the key was revoked meanwhile.
 * @throws ApiError job_not_found if it is gone
 */
export async function untilEnded(
  waiter: Waiter,
  job: JobRecord,
  seconds: number,
): Promise<JobRecord | 'revoked'> {
  if (job.status !== 'processing') return job;
  const news = await waiter.news(seconds * 1000);
  if (news === 'gone') throw jobNotFound();
  if (news === 'revoked') return news;
  return { ...job, ...news };
}
