import { randomUUID } from 'node:crypto';
import type { Voids } from './voids.ts';

/** The jobs that one request may be answered with: what it holds on to until it is known that it ends well. */
export interface Claims {
  /** A fresh id of the request, and of the job it may create. Never the client's X-Request-Id. */
  readonly requestId: string;
  /** Before MongoDB can know that the request is answered with the job. */
  add(jobId: string): void;
  /** The job is no more, for good, or never was. */
  drop(jobId: string): void;
  /** The request ends in 5xx: no job lives for it. Safe to repeat. */
  giveUp(): void;
}

export function createClaims(voids: Pick<Voids, 'enqueue'>): Claims {
  const requestId = randomUUID();
  const jobIds = new Set<string>();
  return {
    requestId,
    add: (jobId) => jobIds.add(jobId),
    drop: (jobId) => jobIds.delete(jobId),
    giveUp() {
      for (const jobId of jobIds) voids.enqueue({ jobId, requestId });
    },
  };
}
