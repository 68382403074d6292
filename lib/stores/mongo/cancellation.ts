import { NotFound } from '../../domain/errors.ts';
import type { FailedEnd } from '../job-store.ts';
import type { Mongo } from './client.ts';
import type { Collections } from './documents.ts';
import { type EndOptions, endJob, RenderBegun } from './ending.ts';

/**
 * See JobStore.cancel. The write that ends the job finds no call in it, and a call begins only in a job that has not
 * ended. It counts in the account's `failures`, because nobody pays for its input.
 * @returns whether this call has ended the job
 */
export async function cancelJob(
  mongo: Mongo,
  c: Collections,
  { jobId, ...end }: Omit<FailedEnd, 'counted'> & { jobId: string },
  onEnded: NonNullable<EndOptions['onEnded']>,
): Promise<boolean | 'begun'> {
  let cancelled = false;
  const options: EndOptions = {
    counted: true,
    onlyUnbegun: true,
    onEnded(job) {
      cancelled = true;
      onEnded(job);
    },
  };
  try {
    await endJob(mongo, c, jobId, { status: 'failed', ...end }, options);
    return cancelled;
  } catch (error) {
    if (error instanceof RenderBegun) return 'begun';
    // Voided concurrently.
    if (error instanceof NotFound) return false;
    throw error;
  }
}
