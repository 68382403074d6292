import type { ClientSession } from 'mongodb';
import { isOpen, unusedResults } from '../../domain/generator-call.ts';
import { MAX_REQUESTS, withdraw } from '../../domain/job-requests.ts';
import type { JobRecord } from '../../domain/records.ts';
import { openAccount } from './account-status.ts';
import { isDuplicateKey, type Mongo } from './client.ts';
import { cancelDeliveries } from './deliveries.ts';
import { type Collections, isTombstone, type JobDocument, toJob } from './documents.ts';
import { postRows } from './ledger.ts';
import { queueRemovals } from './outboxes.ts';

const tombstone = () => ({ status: 'voided' as const, voidedAt: new Date() });

/**
 * See JobStore.fence. A single insert. It fails if the job exists, and a later acceptance fails
 * because of it.
 */
export async function fenceJob(
  c: Collections,
  jobId: string,
  overdrawn = false,
): Promise<JobRecord | undefined> {
  try {
    await c.voids.insertOne({ _id: jobId, ...tombstone(), ...(overdrawn ? { overdrawn } : {}) });
    return undefined;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const job = await c.jobs.findOne({ _id: jobId });
    return job === null || isTombstone(job) ? undefined : toJob(job);
  }
}

/**
 * See JobStore.void.
 * @param onReversed called with the images of the charge when it has been reversed
 */
export async function voidJob(
  mongo: Mongo,
  c: Collections,
  jobId: string,
  requestId: string,
  onReversed: (images: number) => void = () => {},
): Promise<boolean> {
  let reversed = 0;
  const isVoided = await mongo.transaction(async (session) => {
    reversed = 0;
    const job = await c.jobs.findOne({ _id: jobId }, { session });
    if (job === null) {
      await c.voids.insertOne({ _id: jobId, ...tombstone() }, { session });
      return true;
    }
    if (isTombstone(job)) return true;
    if (job.status === 'deleted') return false;
    const remaining = withdraw(job, requestId);
    if (remaining !== undefined) {
      await c.jobs.updateOne({ _id: jobId }, { $set: { ...remaining } }, { session });
      return false;
    }
    const { calls = [] } = job;
    const kept = calls.some(isOpen) ? { calls } : {};
    await c.voids.replaceOne({ _id: jobId }, { ...tombstone(), ...kept }, { session });
    await c.idempotency.deleteOne({ _id: jobId }, { session });
    await queueRemovals(c, [...job.inputs, ...job.results, ...unusedResults(calls, job.results)], session);
    await cancelDeliveries(c, [jobId], session);
    // A failed job is already refunded.
    if (job.status === 'failed') return true;
    await reverseCharge(c, session, job, 'void');
    reversed = job.imagesCharged;
    return true;
  });
  if (reversed > 0) onReversed(reversed);
  return isVoided;
}

/** See JobStore.recordReturned. */
export async function recordReturned(
  c: Collections,
  jobId: string,
  requestId: string,
): Promise<JobRecord | 'voided' | undefined> {
  for (;;) {
    const recorded = await c.jobs.findOneAndUpdate(
      {
        _id: jobId,
        status: { $in: ['processing', 'completed', 'failed'] },
        // A call that timed out may have been executed. Twice in the list would fill it.
        answered: { $ne: requestId },
        withdrawn: { $ne: requestId },
      },
      // The first requests stay when the list is full.
      { $push: { answered: { $each: [requestId], $slice: MAX_REQUESTS } } },
      { returnDocument: 'after' },
    );
    if (recorded !== null) return toJob(recorded);
    const job = await c.jobs.findOne({ _id: jobId });
    if (job === null || isTombstone(job)) return 'voided';
    if (job.status === 'deleted') return undefined;
    if (job.answered.includes(requestId)) return toJob(job);
    if (job.withdrawn.includes(requestId)) throw new Error(`Request ${requestId} was withdrawn.`);
    // The job was accepted between the two queries. Try again.
  }
}

/** Posts the charge of a job back to the balance. A closed account forfeits it at once. */
export async function reverseCharge(
  c: Collections,
  session: ClientSession,
  { _id: jobId, accountId, imagesCharged }: JobDocument,
  kind: 'refund' | 'void',
): Promise<void> {
  const reversal = { id: `${kind}:${jobId}`, kind, jobId, delta: imagesCharged };
  const forfeit = { id: `forfeit:${jobId}`, kind: 'forfeit' as const, delta: -imagesCharged };
  const isOpen = await c.accounts.findOne(openAccount(accountId), { session, projection: { _id: 1 } });
  await postRows(c, session, accountId, isOpen === null ? [reversal, forfeit] : [reversal], new Date());
}
