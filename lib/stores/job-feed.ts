import type { JobRecord } from '../domain/records.ts';

/** The fields that a job gets when it ends; those that are absent stay as they were. */
export type JobEnd = Pick<JobRecord, 'completedAt' | 'processingMs'> &
  Partial<Pick<JobRecord, 'results' | 'error' | 'failureReason'>> & { status: 'completed' | 'failed' };

/** `gone`: the job was deleted or voided, or there is none with this id. */
export type JobNews = JobEnd | 'gone';

export type JobListener = (news: JobNews) => void;

/** Tells when jobs end, whichever process has ended them. */
export interface JobFeed extends AsyncDisposable {
  /**
   * Calls the listener once, when the job has ended or is gone. Of an end before the call it may say nothing, so read
   * the job afterwards. While MongoDB is away it says nothing; afterwards it tells what has ended meanwhile.
   * @returns forgets the listener. Idempotent
   */
  subscribe(jobId: string, listener: JobListener): () => void;
}
