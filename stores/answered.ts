/** Requests kept of each kind for one job. */
export const MOST_ANSWERED = 16;

/** Who was answered with a job, or is about to be. By request id: the job id for the one that created it. */
export interface Answered {
  /** Never empty: with the last one the job goes. */
  answered: readonly string[];
  /** Requests that ended in 5xx: what they may still have on its way to the database must not count. */
  withdrawn: readonly string[];
}

/**
 * What is left once a request has withdrawn; undefined when that was the last one. Where ids had no room any more, one
 * of them may stand for an answer of 201, so a full list stays as it is, and its job with it.
 */
export function withdraw(job: Answered, requestId: string): Answered | undefined {
  if (job.answered.length >= MOST_ANSWERED) return job;
  const answered = job.answered.filter((id) => id !== requestId);
  if (answered.length === 0) return undefined;
  const withdrawn = [...job.withdrawn.filter((id) => id !== requestId), requestId].slice(-MOST_ANSWERED);
  return { answered, withdrawn };
}
