import type { ClientSession } from 'mongodb';
import { type Destination, deliveryIdOf, destinationOf, newDelivery } from '../delivery.ts';
import { withOneMore } from '../failures.ts';
import { type EndedJob, NotFound } from '../ports.ts';
import type { DeliveryRecord, JobRecord } from '../records.ts';
import type { Mongo } from './client.ts';
import { type Collections, isTombstone, type JobDocument, toJob, toRecord } from './documents.ts';
import { giveBack } from './fence.ts';

/** What the end of a job sets. */
export type JobEnding =
  | (Pick<JobRecord, 'results' | 'processingMs'> & { status: 'completed' })
  | (Pick<JobRecord, 'error' | 'processingMs'> & { status: 'failed' });

/** See JobStore.complete and JobStore.fail. */
export async function endJob(
  mongo: Mongo,
  c: Collections,
  jobId: string,
  end: JobEnding,
  clientFault = false,
): Promise<EndedJob> {
  for (;;) {
    const job = await find(c, jobId);
    if (job.status !== 'processing') return asItStands(c, job);
    const destination = await destinationFor(c, job);
    const delivery = destination === undefined ? null : newDelivery(toJob(job), end.status, destination);
    const isOneWrite = end.status === 'completed' && delivery === null;
    const ended = isOneWrite
      ? await change(c, job, end)
      : await mongo.transaction((session) => endWith(c, job, { end, delivery, clientFault }, session));
    if (ended !== null) return { job: toJob(ended), delivery };
    // Ended or undone by another one since it was read.
  }
}

/** See JobStore.ended. */
export async function endedJob(c: Collections, jobId: string): Promise<EndedJob | undefined> {
  const job = await find(c, jobId);
  return job.status === 'processing' ? undefined : asItStands(c, job);
}

async function find(c: Collections, jobId: string): Promise<JobDocument> {
  const job = await c.jobs.findOne({ _id: jobId });
  if (job === null || isTombstone(job)) throw new NotFound(`There is no job ${jobId}.`);
  return job;
}

async function asItStands(c: Collections, job: JobDocument): Promise<EndedJob> {
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
  { end, delivery, clientFault }: { end: JobEnding; delivery: DeliveryRecord | null; clientFault: boolean },
  session: ClientSession,
): Promise<JobDocument | null> {
  const ended = await change(c, job, end, session);
  if (ended === null) return null;
  if (end.status === 'failed') await giveBack(c, session, job, 'refund');
  if (clientFault) await countFailure(c, job.accountId, session);
  if (delivery !== null) {
    const { id: _id, ...row } = delivery;
    await c.deliveries.insertOne({ _id, ...row }, { session });
  }
  return ended;
}

/** In the transaction that has moved the account's balance, so nobody else writes it meanwhile. */
async function countFailure(c: Collections, _id: string, session: ClientSession): Promise<void> {
  const account = await c.accounts.findOne({ _id }, { session, projection: { failures: 1 } });
  const failures = withOneMore(account?.failures, new Date());
  await c.accounts.updateOne({ _id }, { $set: { failures } }, { session });
}

/** Never before its start, whose time another machine has set. */
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
