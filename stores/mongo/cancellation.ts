import { NotFound } from '../../domain/errors.ts';
import type { FailedEnd } from '../job-store.ts';
import type { Mongo } from './client.ts';
import type { Collections } from './documents.ts';
import { type EndOptions, endJob } from './ending.ts';
import { CallsBegun, closeUnbegun } from './generator-calls.ts';

/**
 * See JobStore.cancel. The transaction that ends the job also closes its calls: one that begins concurrently either
 * conflicts with it, or finds them closed. It counts in the account's `failures`, because nobody pays for its input.
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
    guard: (session) => closeUnbegun(c, jobId, session),
    onEnded(job) {
      cancelled = true;
      onEnded(job);
    },
  };
  try {
    await endJob(mongo, c, jobId, { status: 'failed', ...end }, options);
    return cancelled;
  } catch (error) {
    if (error instanceof CallsBegun) return (await isProcessing(c, jobId)) ? 'begun' : false;
    // Voided concurrently.
    if (error instanceof NotFound) return false;
    throw error;
  }
}

/** A job whose calls have begun may have ended since this cancellation looked at it. */
const isProcessing = async ({ jobs }: Collections, _id: string) =>
  (await jobs.findOne({ _id, status: 'processing' }, { projection: { _id: 1 } })) !== null;
