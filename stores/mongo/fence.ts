import type { ClientSession } from 'mongodb';
import { type Answered, MOST_ANSWERED, withdraw } from '../answered.ts';
import type { JobRecord } from '../records.ts';
import { isDuplicateKey, type Mongo } from './client.ts';
import { forgetDeliveries } from './deliveries.ts';
import { type Collections, isTombstone, type JobDocument, toJob } from './documents.ts';
import { post } from './ledger.ts';
import { owe } from './removals.ts';

const tombstone = () => ({ status: 'voided' as const, voidedAt: new Date() });

/** See JobStore.fence. One insert: an acceptance under way either meets it as a duplicate or is found by it. */
export async function fence(c: Collections, jobId: string, unpaid = false): Promise<JobRecord | undefined> {
  try {
    await c.voids.insertOne({ _id: jobId, ...tombstone(), ...(unpaid ? { unpaid } : {}) });
    return undefined;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const job = await c.jobs.findOne({ _id: jobId });
    return job === null || isTombstone(job) ? undefined : toJob(job);
  }
}

/** See JobStore.void. */
export async function voidJob(
  mongo: Mongo,
  c: Collections,
  jobId: string,
  requestId: string,
): Promise<boolean> {
  return mongo.transaction(async (session) => {
    const job = await c.jobs.findOne({ _id: jobId }, { session });
    if (job === null) {
      await c.voids.insertOne({ _id: jobId, ...tombstone() }, { session });
      return true;
    }
    if (isTombstone(job)) return true;
    if (job.status === 'deleted') return false;
    const left = withdraw(answeredOf(job), requestId);
    if (left !== undefined) {
      await c.jobs.updateOne({ _id: jobId }, { $set: { ...left } }, { session });
      return false;
    }
    await c.voids.replaceOne({ _id: jobId }, tombstone(), { session });
    await c.idempotency.deleteOne({ _id: jobId }, { session });
    await owe(c, [...job.inputs, ...job.results], session);
    await forgetDeliveries(c, [jobId], session);
    // A failed one was refunded.
    if (job.status !== 'failed') await giveBack(c, session, job, 'void');
    return true;
  });
}

/** For whoever version 0.1.0 answered with the job: it kept no ids. */
const BY_010 = 'by 0.1.0';

const answeredOf = ({ _id, answered, withdrawn }: JobDocument): Answered => ({
  answered: answered === undefined ? [_id] : answered === true ? [_id, BY_010] : answered,
  withdrawn: withdrawn ?? [],
});

/** See JobStore.markAnswered. */
export async function markAnswered(
  c: Collections,
  jobId: string,
  requestId: string,
): Promise<JobRecord | 'voided' | undefined> {
  for (;;) {
    const marked = await c.jobs.findOneAndUpdate(
      { _id: jobId, status: { $in: ['processing', 'completed', 'failed'] }, withdrawn: { $ne: requestId } },
      [{ $set: { answered: appendRequest(requestId) } }],
      { returnDocument: 'after' },
    );
    if (marked !== null) return toJob(marked);
    const job = await c.jobs.findOne({ _id: jobId });
    if (job === null || isTombstone(job)) return 'voided';
    if (job.status === 'deleted') return undefined;
    if (answeredOf(job).withdrawn.includes(requestId)) throw new Error(`Request ${requestId} has ended.`);
    // Accepted between the two.
  }
}

const BEFORE_IDS = { $cond: [{ $eq: ['$answered', true] }, ['$_id', BY_010], ['$_id']] };
const ANSWERED = { $cond: [{ $isArray: '$answered' }, '$answered', BEFORE_IDS] };

/** {@link answeredOf} and the request, as far as there is room, for an update by pipeline. */
const appendRequest = (requestId: string) => ({
  $slice: [{ $concatArrays: [ANSWERED, [requestId]] }, MOST_ANSWERED],
});

/** The charge of a job, back on the balance. */
export async function giveBack(
  c: Collections,
  session: ClientSession,
  { _id: jobId, accountId, imagesCharged }: JobDocument,
  kind: 'refund' | 'void',
): Promise<void> {
  const posting = { id: `${kind}:${jobId}`, accountId, kind, jobId, delta: imagesCharged };
  await post(c, session, posting, new Date());
}
