import type { ClientSession } from 'mongodb';
import { deliveryIdOf, JOB_DELETED, KEPT_ATTEMPTS, NEW_ROUND, NO_OUTCOME } from '../delivery.ts';
import { type DeliveryStore, NotFound } from '../ports.ts';
import type { DeliveryAttempt, DeliveryRecord } from '../records.ts';
import type { Mongo } from './client.ts';
import { type Collections, collections, type Stored, toRecord } from './documents.ts';

type Document = Stored<DeliveryRecord>;

export function createDeliveryStore(mongo: Mongo): DeliveryStore {
  const { deliveries } = collections(mongo.db);
  const after = { returnDocument: 'after' } as const;

  return {
    async plan({ id, ...delivery }) {
      const row = await deliveries.findOneAndUpdate(
        { _id: id },
        { $setOnInsert: { ...delivery, ...NEW_ROUND, attempts: [], createdAt: new Date() } },
        { ...after, upsert: true },
      );
      return known(row, id);
    },

    async find(deliveryId) {
      const row = await deliveries.findOne({ _id: deliveryId });
      return row === null ? undefined : toRecord(row);
    },

    async list(accountId, limit) {
      const rows = deliveries.find({ accountId }).sort({ createdAt: -1 }).limit(limit);
      return (await rows.toArray()).map(toRecord);
    },

    async reopen(deliveryId, round) {
      await deliveries.updateOne(
        { _id: deliveryId, round: { $ne: round } },
        { $set: { ...NEW_ROUND, round } },
      );
      return known(await deliveries.findOne({ _id: deliveryId }), deliveryId);
    },

    async begin(deliveryId, round, { at, url }) {
      const attempt: DeliveryAttempt = { at, url, status: null, ms: null, error: NO_OUTCOME, answer: null };
      const row = await deliveries.findOneAndUpdate(
        { _id: deliveryId, round, state: 'pending' },
        {
          $inc: { tries: 1 },
          $set: { url, nextAttemptAt: null },
          $push: { attempts: { $each: [attempt], $slice: -KEPT_ATTEMPTS } },
        },
        after,
      );
      return row === null ? undefined : toRecord(row);
    },

    async record(deliveryId, round, attempt, end) {
      const begun = { _id: deliveryId, 'attempts.at': attempt.at };
      const { matchedCount } = await deliveries.updateOne(
        { ...begun, round, state: 'pending' },
        { $set: { nextAttemptAt: null, ...end, 'attempts.$': attempt } },
      );
      if (matchedCount > 0) return;
      // Cancelled or taken over meanwhile: that it was sent still shows, but nothing of a deleted job comes back.
      const trace = { ...attempt, url: null, answer: null };
      await deliveries.updateOne(begun, { $set: { 'attempts.$': trace } });
    },

    async close(deliveryId, round, end) {
      await deliveries.updateOne(
        { _id: deliveryId, round, state: 'pending' },
        { $set: { ...end, nextAttemptAt: null } },
      );
    },
  };
}

/** In the transaction that deletes jobs: what is undelivered is not sent, and neither URLs nor answers are kept. */
export async function forgetDeliveries(
  { deliveries }: Collections,
  jobIds: readonly string[],
  session: ClientSession,
): Promise<void> {
  const rows = { _id: { $in: jobIds.map(deliveryIdOf) } };
  const cancelled = { state: 'cancelled', reason: JOB_DELETED, nextAttemptAt: null } as const;
  await deliveries.updateMany({ ...rows, state: 'pending' }, { $set: cancelled }, { session });
  const nothing = { url: null, 'attempts.$[].url': null, 'attempts.$[].answer': null };
  await deliveries.updateMany(rows, { $set: nothing }, { session });
}

function known(row: Document | null, deliveryId: string): DeliveryRecord {
  if (row === null) throw new NotFound(`There is no delivery ${deliveryId}.`);
  return toRecord(row);
}
