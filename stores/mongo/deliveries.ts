import type { ClientSession } from 'mongodb';
import { CANCELLED, deliveryIdOf, KEPT_ATTEMPTS, NEW_ROUND, NO_OUTCOME } from '../delivery.ts';
import { type AfterAttempt, type DeliveryStore, NotFound } from '../ports.ts';
import type { DeliveryAttempt, DeliveryRecord } from '../records.ts';
import { inBatches } from './batches.ts';
import type { Mongo } from './client.ts';
import { type Collections, collections, type Stored, toRecord } from './documents.ts';

type Document = Stored<DeliveryRecord>;
type Deliveries = Collections['deliveries'];

export function createDeliveryStore(mongo: Mongo): DeliveryStore {
  const { deliveries } = collections(mongo.db);
  const begin = inBatches((begun: Begun[]) => beginAll(deliveries, begun));
  const record = inBatches((made: Made[]) => recordAll(deliveries, made));

  return {
    async plan({ id, ...delivery }) {
      const row = await deliveries.findOneAndUpdate(
        { _id: id },
        { $setOnInsert: { ...delivery, ...NEW_ROUND, attempts: [], createdAt: new Date() } },
        { returnDocument: 'after', upsert: true },
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

    async pending(createdBefore, after, limit) {
      const rows = deliveries
        .find({ state: 'pending', _id: { $gt: after }, createdAt: { $lt: createdBefore } })
        .sort({ _id: 1 })
        .limit(limit);
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
      return begin({ deliveryId, round, attempt });
    },

    record: (deliveryId, round, attempt, after) => record({ deliveryId, round, attempt, after }),

    async close(deliveryId, round, end) {
      await deliveries.updateOne(
        { _id: deliveryId, round, state: 'pending' },
        { $set: { ...end, nextAttemptAt: null } },
      );
    },
  };
}

interface Begun {
  deliveryId: string;
  round: string;
  attempt: DeliveryAttempt;
}

async function beginAll(deliveries: Deliveries, begun: Begun[]): Promise<(DeliveryRecord | undefined)[]> {
  await deliveries.bulkWrite(
    begun.map(({ deliveryId, round, attempt }) => ({
      updateOne: {
        filter: { _id: deliveryId, round, state: 'pending' },
        update: {
          $inc: { tries: 1 },
          $set: { url: attempt.url, nextAttemptAt: null },
          $push: { attempts: { $each: [attempt], $slice: -KEPT_ATTEMPTS } },
        },
      },
    })),
    { ordered: false },
  );
  const rows = await deliveries.find({ _id: { $in: begun.map(({ deliveryId }) => deliveryId) } }).toArray();
  const byId = new Map(rows.map((row) => [row._id, row]));
  return begun.map(({ deliveryId, round, attempt }) => {
    const row = byId.get(deliveryId);
    const isOpen = row?.round === round && row.state === 'pending';
    return isOpen && row.attempts.at(-1)?.at.getTime() === attempt.at.getTime() ? toRecord(row) : undefined;
  });
}

interface Made extends Begun {
  after: AfterAttempt;
}

async function recordAll(deliveries: Deliveries, made: Made[]): Promise<undefined[]> {
  const { matchedCount } = await deliveries.bulkWrite(
    made.map(({ deliveryId, round, attempt, after }) => ({
      updateOne: {
        filter: { _id: deliveryId, round, state: 'pending', 'attempts.at': attempt.at },
        update: { $set: { nextAttemptAt: null, ...after, 'attempts.$': attempt } },
      },
    })),
    { ordered: false },
  );
  if (matchedCount < made.length) await deliveries.bulkWrite(made.map(traceOf), { ordered: false });
  return made.map(() => undefined);
}

/** Cancelled or taken over meanwhile: that it was sent still shows, but nothing of a deleted job comes back. */
const traceOf = ({ deliveryId, attempt }: Made) => ({
  updateOne: {
    filter: { _id: deliveryId, attempts: { $elemMatch: { at: attempt.at, error: NO_OUTCOME } } },
    update: { $set: { 'attempts.$': { ...attempt, url: null, answer: null } } },
  },
});

/** In the transaction that deletes jobs: what is undelivered is not sent, and neither URLs nor answers are kept. */
export async function forgetDeliveries(
  { deliveries }: Collections,
  jobIds: readonly string[],
  session: ClientSession,
): Promise<void> {
  const rows = { _id: { $in: jobIds.map(deliveryIdOf) } };
  await deliveries.updateMany({ ...rows, state: 'pending' }, { $set: CANCELLED }, { session });
  const nothing = { url: null, 'attempts.$[].url': null, 'attempts.$[].answer': null };
  await deliveries.updateMany(rows, { $set: nothing }, { session });
}

function known(row: Document | null, deliveryId: string): DeliveryRecord {
  if (row === null) throw new NotFound(`There is no delivery ${deliveryId}.`);
  return toRecord(row);
}
