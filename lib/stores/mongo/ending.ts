import type { ClientSession, Filter } from 'mongodb';
import { type Destination, deliveryIdOf, destinationOf, newDelivery } from '../../domain/delivery.ts';
import { NotFound } from '../../domain/errors.ts';
import { countOneMore } from '../../domain/failures.ts';
import { unusedResults } from '../../domain/generator-call.ts';
import type { DeliveryRecord, JobRecord } from '../../domain/records.ts';
import type { EndedJob, FailedEnd } from '../job-store.ts';
import type { Mongo } from './client.ts';
import {
  type Collections,
  isTombstone,
  type JobDocument,
  type Stored,
  toJob,
  toRecord,
} from './documents.ts';
import { queueRemovals } from './outboxes.ts';
import { reverseCharge } from './voids.ts';

/** The fields set when a job ends. */
export type EndFields =
  | (Pick<JobRecord, 'results' | 'processingMs' | 'generator'> & { status: 'completed' })
  | (Pick<JobRecord, 'error' | 'failureReason' | 'processingMs' | 'generator'> & { status: 'failed' });

export interface EndOptions {
  /** Counts the job in the account's `failures`. */
  counted?: boolean;
  /** Ends the job only if no generator was asked to render it. */
  onlyUnbegun?: boolean;
  /** Called when this call has ended the job, but not when the job had already ended. */
  onEnded?: (job: JobRecord) => void;
}

/** A generator was asked to render the job. */
class RenderBegun extends Error {
  override readonly name = 'RenderBegun';
}

const UNBEGUN = { 'calls.0': { $exists: false }, localRender: { $exists: false } } as const;
const hasBegun = ({ calls = [], localRender }: JobDocument) => calls.length > 0 || localRender === true;

/**
 * See JobStore.complete and JobStore.fail.
 * @throws RenderBegun with `onlyUnbegun`, if a generator was asked
 */
export async function endJob(
  mongo: Mongo,
  c: Collections,
  jobId: string,
  end: EndFields,
  { counted = false, onlyUnbegun = false, onEnded = () => {} }: EndOptions = {},
): Promise<EndedJob> {
  const guard = onlyUnbegun ? UNBEGUN : {};
  for (;;) {
    const found = await find(c, jobId);
    if (found.status !== 'processing') return withDelivery(c, found);
    if (onlyUnbegun && hasBegun(found)) throw new RenderBegun(`A generator was asked for job ${jobId}.`);
    const isOneWrite = end.status === 'completed' && (await destinationFor(c, found)) === undefined;
    const ended = isOneWrite
      ? await change(c, found, end)
      : await mongo.transaction((session) => endWith(c, found, { end, counted, guard }, session));
    if (ended !== null) {
      onEnded(toJob(ended));
      return isOneWrite ? toEnded(ended, await planMissed(c, ended)) : withDelivery(c, ended);
    }
    // Meanwhile the job was ended or voided, or a generator was asked. Look again.
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
  return toEnded(job, delivery ?? (await planMissed(c, job)));
}

const toEnded = (job: JobDocument, delivery: Stored<DeliveryRecord> | null): EndedJob => ({
  job: toJob(job),
  delivery: delivery === null ? null : toRecord(delivery),
  calls: job.calls ?? [],
});

/**
 * Plans the delivery of a job that completed while its account got an endpoint. A job without a
 * webhook completes by one write. The endpoint may have been set after the account was read and
 * before that write. So each caller that completes such a job, or finds it completed, reads the
 * account again.
 */
async function planMissed(c: Collections, job: JobDocument): Promise<Stored<DeliveryRecord> | null> {
  if (job.status !== 'completed' || job.webhookUrl !== null) return null;
  const destination = await destinationFor(c, job);
  if (destination === undefined) return null;
  const { _id, ...row } = deliveryOf(job, 'completed', destination);
  return c.deliveries.findOneAndUpdate(
    { _id },
    { $setOnInsert: row },
    { upsert: true, returnDocument: 'after' },
  );
}

async function destinationFor(
  c: Collections,
  { accountId, webhookUrl }: JobDocument,
  session?: ClientSession,
): Promise<Destination | undefined> {
  if (webhookUrl !== null) return destinationOf(webhookUrl, null);
  const options = {
    projection: { 'webhook.url': 1 },
    ...(session === undefined ? {} : { session }),
  } as const;
  const account = await c.accounts.findOne({ _id: accountId }, options);
  return destinationOf(null, account?.webhook.url ?? null);
}

function deliveryOf(
  job: JobDocument,
  status: EndFields['status'],
  destination: Destination,
): Stored<DeliveryRecord> {
  const { id: _id, ...row } = newDelivery(toJob(job), status, destination);
  return { _id, ...row };
}

interface EndWith {
  end: EndFields;
  counted: boolean;
  guard: Filter<JobDocument>;
}

async function endWith(
  c: Collections,
  job: JobDocument,
  { end, counted, guard }: EndWith,
  session: ClientSession,
): Promise<JobDocument | null> {
  const ended = await change(c, job, end, { session, guard });
  if (ended === null) return null;
  if (end.status === 'failed') {
    await reverseCharge(c, session, job, 'refund');
    await queueRemovals(c, unusedResults(ended.calls), session);
  }
  if (counted) await countFailure(c, job.accountId, session);
  // After the refund, which changes the account: an endpoint that is set meanwhile conflicts with
  // this transaction.
  const destination = await destinationFor(c, job, session);
  if (destination !== undefined)
    await c.deliveries.insertOne(deliveryOf(job, end.status, destination), { session });
  return ended;
}

/**
 * Reading before writing is safe: this transaction has already changed the account, so others
 * conflict with it.
 */
async function countFailure(c: Collections, _id: string, session: ClientSession): Promise<void> {
  const account = await c.accounts.findOne({ _id }, { session, projection: { failures: 1 } });
  const failures = countOneMore(account?.failures, new Date());
  await c.accounts.updateOne({ _id }, { $set: { failures } }, { session });
}

/** `completedAt` is never before `createdAt`, which comes from the clock of another machine. */
const change = (
  c: Collections,
  { _id, createdAt }: Pick<JobDocument, '_id' | 'createdAt'>,
  end: EndFields,
  { guard = {}, ...transaction }: { session?: ClientSession; guard?: Filter<JobDocument> } = {},
) =>
  c.jobs.findOneAndUpdate(
    { _id, status: 'processing', ...guard },
    { $set: { ...end, completedAt: new Date(Math.max(createdAt.getTime(), Date.now())) } },
    { returnDocument: 'after', ...transaction },
  );

/**
 * See JobStore.cancel. The write that ends the job requires that it has no call, and a call begins
 * only in a job that has not ended. The job counts in the account's `failures`, because nobody pays
 * for its input.
 * @returns whether this call has ended the job
 */
export async function cancelUnbegun(
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
