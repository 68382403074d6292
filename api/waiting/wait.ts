import { jobNotFound } from '../../contract/api-errors.ts';
import type { JobRecord } from '../../domain/records.ts';
import type { JobNews } from '../../stores/job-feed.ts';
import type { Waiter } from './waiters.ts';

/** The job without its options and warnings, which may take 50 KB while a request waits. */
export const brief = (job: JobRecord): JobRecord => ({ ...job, options: {}, warnings: [] });

/** The job with the changes of its end. @throws ApiError job_not_found if it is gone */
export function withNews(job: JobRecord, news: JobNews | undefined): JobRecord {
  if (news === 'gone') throw jobNotFound();
  return { ...job, ...news };
}

/** The job once it has ended, or as it is when the time is up. @throws ApiError job_not_found if it is gone */
export async function untilEnded(waiter: Waiter, job: JobRecord, seconds: number): Promise<JobRecord> {
  return job.status === 'processing' ? withNews(job, await waiter.news(seconds * 1000)) : job;
}
