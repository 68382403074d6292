import type { JobRecord } from '../domain/records.ts';

/**
 * The fields that a job got when it ended; absent fields stay as they were. `gone`: the job was
 * deleted or voided, or there is no job with this id.
 */
export type JobNews =
  | (Pick<JobRecord, 'completedAt' | 'processingMs'> &
      Partial<Pick<JobRecord, 'results' | 'error' | 'failureReason'>> & { status: 'completed' | 'failed' })
  | 'gone';

export type JobListener = (news: JobNews) => void;

/** Tells when jobs end, whichever process has ended them. */
export interface JobFeed extends AsyncDisposable {
  /**
   * Calls the listener once, when the job has ended or is gone. It may not call the listener for a
   * job that ended before the subscription, so read the job after you subscribe. While MongoDB is
   * away it calls no listener. When MongoDB is back, it calls the listeners of the jobs that ended
   * meanwhile.
   * @returns a function that removes the listener. Idempotent
   */
  subscribe(jobId: string, listener: JobListener): () => void;
}

/** The listeners of a JobFeed, by job. Each is called at most once. */
export interface JobListeners {
  /** @returns a function that removes the listener. Idempotent */
  add(jobId: string, listener: JobListener): () => void;
  tell(jobId: string, news: JobNews): void;
  /** The jobs that have listeners. */
  jobIds(): string[];
  /** The number of these jobs. */
  readonly size: number;
}

export function createJobListeners(): JobListeners {
  const byJob = new Map<string, Set<JobListener>>();
  return {
    add(jobId, listener) {
      const others = byJob.get(jobId) ?? new Set();
      byJob.set(jobId, others.add(listener));
      return () => {
        others.delete(listener);
        if (others.size === 0 && byJob.get(jobId) === others) byJob.delete(jobId);
      };
    },
    tell(jobId, news) {
      const told = byJob.get(jobId) ?? [];
      byJob.delete(jobId);
      for (const listener of told) listener(news);
    },
    jobIds: () => [...byJob.keys()],
    get size() {
      return byJob.size;
    },
  };
}
