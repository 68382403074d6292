import type { JobListener, JobNews } from './job-feed.ts';

/** The listeners of a JobFeed, by job. Each is called once at most. */
export interface JobListeners {
  /** @returns removes it. Idempotent */
  add(jobId: string, listener: JobListener): () => void;
  tell(jobId: string, news: JobNews): void;
  /** The jobs that have listeners. */
  jobIds(): string[];
  /** Number of those jobs. */
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
