import type { ClientSession } from 'mongodb';
import {
  CANCELLED_DELIVERY,
  deliveryIdOf,
  KEPT_ATTEMPTS,
  KEPT_TESTS,
  NEW_CYCLE,
  NO_OUTCOME,
} from '../../domain/delivery.ts';
import { NotFound } from '../../domain/errors.ts';
import type { DeliveryAttempt, DeliveryRecord } from '../../domain/records.ts';
import { type Metrics, NO_METRICS } from '../../telemetry/metrics/metrics.ts';
import type { AfterAttempt, DeliveryStore } from '../delivery-store.ts';
import { inBatches } from './batches.ts';
import type { Mongo } from './client.ts';
import { type Collections, collections, type Stored, toRecord } from './documents.ts';
import { NEWEST_FIRST, pageAfter } from './queries.ts';

type Document = Stored<DeliveryRecord>;
type Deliveries = Collections['deliveries'];

const ENDED = { $ne: 'pending' } as const;

export function createDeliveryStore(mongo: Mongo, metrics: Metrics = NO_METRICS): DeliveryStore {
  const { deliveries } = collections(mongo.db);
  const begin = inBatches((begins: Begin[]) => beginAll(deliveries, begins));
  const record = inBatches((outcomes: Outcome[]) => recordAll(deliveries, outcomes));

  return {
    async plan({ id, ...delivery }) {
      const row = await deliveries.findOneAndUpdate(
        { _id: id },
        { $setOnInsert: { ...delivery, ...NEW_CYCLE, attempts: [], createdAt: new Date() } },
        { returnDocument: 'after', upsert: true },
      );
      return toRecordOrThrow(row, id);
    },

    async find(deliveryId) {
      const row = await deliveries.findOne({ _id: deliveryId });
      return row === null ? undefined : toRecord(row);
    },

    async list(accountId, limit, { state, after, jobId, attempts } = {}) {
      const matching = {
        ...(accountId === null ? {} : { accountId }),
        ...(state === undefined ? {} : { state }),
        ...(await pageAfter(deliveries, after, accountId)),
      };
      const latest = attempts === undefined ? {} : { projection: { attempts: { $slice: -attempts } } };
      const rows =
        jobId === undefined
          ? deliveries.find(matching, latest).sort(NEWEST_FIRST).limit(limit)
          : deliveries.find({ ...matching, _id: deliveryIdOf(jobId) }, { ...latest, hint: { _id: 1 } });
      return (await rows.toArray()).map(toRecord);
    },

    async pending(createdBefore, after, limit) {
      const rows = deliveries
        .find({ state: 'pending', _id: { $gt: after }, createdAt: { $lt: createdBefore } })
        .sort({ _id: 1 })
        .limit(limit);
      return (await rows.toArray()).map(toRecord);
    },

    async oldestPending() {
      const oldest = deliveries.find({ state: 'pending' }, { projection: { createdAt: 1 } });
      return (await oldest.sort({ createdAt: 1 }).limit(1).next())?.createdAt ?? null;
    },

    async reopen(deliveryId, cycle, after) {
      const open = after === undefined ? { cycle: { $ne: cycle } } : { cycle: after, state: ENDED };
      await deliveries.updateOne({ _id: deliveryId, ...open }, { $set: { ...NEW_CYCLE, cycle } });
      return toRecordOrThrow(await deliveries.findOne({ _id: deliveryId }), deliveryId);
    },

    async dropOldTests(accountId) {
      const tests = { accountId, type: 'test.ping' } as const;
      const surplus = deliveries.find(tests, { projection: { createdAt: 1 } }).sort({ createdAt: -1 });
      const last = await surplus.skip(KEPT_TESTS).limit(1).next();
      const old = { ...tests, state: ENDED, createdAt: { $lte: last?.createdAt ?? new Date(0) } };
      if (last !== null) await deliveries.deleteMany(old);
    },

    async begin(deliveryId, cycle, { at, url }) {
      const attempt: DeliveryAttempt = {
        at,
        url,
        status: null,
        ms: null,
        error: NO_OUTCOME,
        responseBody: null,
      };
      return begin({ deliveryId, cycle, attempt });
    },

    async record(deliveryId, cycle, attempt, after) {
      await record({ deliveryId, cycle, attempt, after });
      countAttempt(metrics, attempt, after);
    },

    async close(deliveryId, cycle, end) {
      await deliveries.updateOne(
        { _id: deliveryId, cycle, state: 'pending' },
        { $set: { ...end, nextAttemptAt: null } },
      );
    },
  };
}

const OUTCOMES = {
  delivered: 'delivered',
  pending: 'retry',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<AfterAttempt['state'], string>;

function countAttempt(metrics: Metrics, { ms }: DeliveryAttempt, { state }: AfterAttempt): void {
  metrics.add('imagejob_webhook_attempts_total', { outcome: OUTCOMES[state] });
  if (ms !== null) metrics.observe('imagejob_webhook_attempt_seconds', {}, ms / 1000);
}

interface Begin {
  deliveryId: string;
  cycle: string;
  attempt: DeliveryAttempt;
}

async function beginAll(deliveries: Deliveries, begins: Begin[]): Promise<(DeliveryRecord | undefined)[]> {
  await deliveries.bulkWrite(
    begins.map(({ deliveryId, cycle, attempt }) => ({
      updateOne: {
        filter: { _id: deliveryId, cycle, state: 'pending' },
        update: {
          $inc: { tries: 1 },
          $set: { url: attempt.url, nextAttemptAt: null },
          $push: { attempts: { $each: [attempt], $slice: -KEPT_ATTEMPTS } },
        },
      },
    })),
    { ordered: false },
  );
  const rows = await deliveries.find({ _id: { $in: begins.map(({ deliveryId }) => deliveryId) } }).toArray();
  const byId = new Map(rows.map((row) => [row._id, row]));
  return begins.map(({ deliveryId, cycle, attempt }) => {
    const row = byId.get(deliveryId);
    const isPending = row?.cycle === cycle && row.state === 'pending';
    return isPending && row.attempts.at(-1)?.at.getTime() === attempt.at.getTime()
      ? toRecord(row)
      : undefined;
  });
}

interface Outcome extends Begin {
  after: AfterAttempt;
}

async function recordAll(deliveries: Deliveries, outcomes: Outcome[]): Promise<undefined[]> {
  const { matchedCount } = await deliveries.bulkWrite(
    outcomes.map(({ deliveryId, cycle, attempt, after }) => ({
      updateOne: {
        filter: { _id: deliveryId, cycle, state: 'pending', 'attempts.at': attempt.at },
        update: { $set: { nextAttemptAt: null, ...after, 'attempts.$': attempt } },
      },
    })),
    { ordered: false },
  );
  if (matchedCount < outcomes.length)
    await deliveries.bulkWrite(outcomes.map(lateAttempt), { ordered: false });
  return outcomes.map(() => undefined);
}

/**
 * Records an attempt of a delivery that was cancelled or reopened meanwhile, without data of a
 * deleted job.
 */
const lateAttempt = ({ deliveryId, attempt }: Outcome) => ({
  updateOne: {
    filter: { _id: deliveryId, attempts: { $elemMatch: { at: attempt.at, error: NO_OUTCOME } } },
    update: { $set: { 'attempts.$': { ...attempt, url: null, responseBody: null } } },
  },
});

/**
 * Cancels pending deliveries and clears URLs and responses, in the transaction that deletes the
 * jobs.
 */
export async function cancelDeliveries(
  { deliveries }: Collections,
  jobIds: readonly string[],
  session: ClientSession,
): Promise<void> {
  const rows = { _id: { $in: jobIds.map(deliveryIdOf) } };
  await deliveries.updateMany({ ...rows, state: 'pending' }, { $set: CANCELLED_DELIVERY }, { session });
  const cleared = { url: null, 'attempts.$[].url': null, 'attempts.$[].responseBody': null };
  await deliveries.updateMany(rows, { $set: cleared }, { session });
}

function toRecordOrThrow(row: Document | null, deliveryId: string): DeliveryRecord {
  if (row === null) throw new NotFound(`There is no delivery ${deliveryId}.`);
  return toRecord(row);
}
