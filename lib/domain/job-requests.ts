/** Maximum length of each list of {@link JobRequests}. */
export const MAX_REQUESTS = 16;

/**
 * Requests that reference a job, by request id. The id of the request that created the job is the
 * job id.
 */
export interface JobRequests {
  /**
   * Requests that were, or may be, answered with the job. Never empty: without any, the job is
   * voided.
   */
  answered: readonly string[];
  /** Requests that ended in 5xx. A later write of such a request is rejected. */
  withdrawn: readonly string[];
}

/**
 * Moves a request from `answered` to `withdrawn`. A full list is returned unchanged, so the job
 * stays: the list may have had no space left for a request that was answered with 201.
 * @returns the new lists; undefined if no request is left and the job must be voided
 */
export function withdraw(job: JobRequests, requestId: string): JobRequests | undefined {
  if (job.answered.length >= MAX_REQUESTS) return job;
  const answered = job.answered.filter((id) => id !== requestId);
  if (answered.length === 0) return undefined;
  const withdrawn = [...job.withdrawn.filter((id) => id !== requestId), requestId].slice(-MAX_REQUESTS);
  return { answered, withdrawn };
}
