import { randomUUID } from 'node:crypto';
import type { Voids } from './voids.ts';

/** The jobs that one request may return. They are voided if the request ends in 5xx. */
export interface Compensations {
  /** A new id for the request, and for the job it may create. Never the client's X-Request-Id. */
  readonly requestId: string;
  /** To be called before MongoDB records that the request returns the job. */
  add(jobId: string): void;
  /** The job is known not to exist, now or later. */
  remove(jobId: string): void;
  /** The request ends in 5xx: enqueues its jobs to be voided. Idempotent. */
  run(): void;
}

export function createCompensations(voids: Pick<Voids, 'enqueue'>): Compensations {
  const requestId = randomUUID();
  const jobIds = new Set<string>();
  return {
    requestId,
    add: (jobId) => jobIds.add(jobId),
    remove: (jobId) => jobIds.delete(jobId),
    run() {
      for (const jobId of jobIds) voids.enqueue({ jobId, requestId });
    },
  };
}
