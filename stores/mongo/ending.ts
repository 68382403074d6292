import type { ClientSession } from 'mongodb';
import { type Destination, deliveryIdOf, destinationOf, newDelivery } from '../../domain/delivery.ts';
import { NotFound } from '../../domain/errors.ts';
import { countOneMore } from '../../domain/failures.ts';
import type { DeliveryRecord, JobRecord } from '../../domain/records.ts';
import type { EndedJob } from '../job-store.ts';
import type { Mongo } from './client.ts';
import { type Collections, isTombstone, type JobDocument, toJob, toRecord } from './documents.ts';
import { reverseCharge } from './voids.ts';

/** The fields set when a job ends. */
export type JobEnding =
  | (Pick<JobRecord, 'results' | 'processingMs' | 'generator'> & { status: 'completed' })
  | (Pick<JobRecord, 'error' | 'failureReason' | 'processingMs' | 'generator'> & { status: 'failed' });

export interface EndOptions {
  /** Counts the job in the account's `failures`. */
  counted?: boolean;
  /** Runs first in the transaction of a failure; its error aborts it. */
  guard?: (session: ClientSession) => Promise<void>;
  /** Called when this call has ended the job: not when it had already ended. */
  onEnded?: (job: JobRecord) => void;
}

/** See JobStore.complete and JobStore.fail. */
export async function endJob(
  mongo: Mongo,
  c: Collections,
  jobId: string,
  end: JobEnding,
  { counted = false, guard = async () => {}, onEnded = () => {} }: EndOptions = {},
): Promise<EndedJob> {
  for (;;) {
    const found = await find(c, jobId);
    if (found.status !== 'processing') return withDelivery(c, found);
    const destination = await destinationFor(c, found);
    const delivery = destination === undefined ? null : newDelivery(toJob(found), end.status, destination);
    const isOneWrite = end.status === 'completed' && delivery === null;
    const ended = isOneWrite
      ? await change(c, found, end)
      : await mongo.transaction(async (session) => {
          await guard(session);
          return endWith(c, found, { end, delivery, counted }, session);
        });
    if (ended !== null) {
      const job = toJob(ended);
      onEnded(job);
      return { job, delivery };
    }
    // The job was ended or voided concurrently.
  }
}

/** See JobStore.ended. */
export async function endedJob(c: Collections, jobId: string): Promise<EndedJob | undefined> {
  const job = await find(c, jobId);
  return job.status === 'processing' ? undefined : withDelivery(c, job);
}

async function find(c: Collections, jobId: string): Promise<JobDocument> {
  const job = await c.jobs.findOne({ _id: jobId });
  if (job === null || isTombstone(job)) throw new NotFound(`There is no job ${jobId}.`);
  return job;
}

async function withDelivery(c: Collections, job: JobDocument): Promise<EndedJob> {
  const delivery = await c.deliveries.findOne({ _id: deliveryIdOf(job._id) });
  return { job: toJob(job), delivery: delivery === null ? null : toRecord(delivery) };
}

async function destinationFor(c: Collections, job: JobDocument): Promise<Destination | undefined> {
  if (job.webhookUrl !== null) return destinationOf(job, { url: null, disabledReason: null });
  const account = await c.accounts.findOne({ _id: job.accountId }, { projection: { webhook: 1 } });
  return account === null ? undefined : destinationOf(job, account.webhook);
}

async function endWith(
  c: Collections,
  job: JobDocument,
  { end, delivery, counted }: { end: JobEnding; delivery: DeliveryRecord | null; counted: boolean },
  session: ClientSession,
): Promise<JobDocument | null> {
  const ended = await change(c, job, end, session);
  if (ended === null) return null;
  if (end.status === 'failed') await reverseCharge(c, session, job, 'refund');
  if (counted) await countFailure(c, job.accountId, session);
  if (delivery !== null) {
    const { id: _id, ...row } = delivery;
    await c.deliveries.insertOne({ _id, ...row }, { session });
  }
  return ended;
}

/** Read and write are safe: this transaction has already changed the account, so others conflict with it. */
async function countFailure(c: Collections, _id: string, session: ClientSession): Promise<void> {
  const account = await c.accounts.findOne({ _id }, { session, projection: { failures: 1 } });
  const failures = countOneMore(account?.failures, new Date());
  await c.accounts.updateOne({ _id }, { $set: { failures } }, { session });
}

/** `completedAt` is never before `createdAt`, which comes from the clock of another machine. */
const change = (
  c: Collections,
  { _id, createdAt }: Pick<JobDocument, '_id' | 'createdAt'>,
  end: JobEnding,
  session?: ClientSession,
) =>
  c.jobs.findOneAndUpdate(
    { _id, status: 'processing' },
    { $set: { ...end, completedAt: new Date(Math.max(createdAt.getTime(), Date.now())) } },
    { returnDocument: 'after', ...(session === undefined ? {} : { session }) },
  );
