import type { ClientSession } from 'mongodb';
import type { ObjectRef } from '../../domain/records.ts';
import type { RemovalFailure } from '../../domain/remove-images.ts';
import type { HistoryStore, RemovalStore } from '../retention-store.ts';
import type { Mongo } from './client.ts';
import { type Collections, collections } from './documents.ts';

export const removalId = ({ bucket, key }: ObjectRef) => `${bucket}/${key}`;

export function createRemovalStore(mongo: Mongo): RemovalStore {
  const c = collections(mongo.db);
  return {
    enqueue: (refs) => queueRemovals(c, refs),

    async markRemoved(refs, failures) {
      const failed = new Set(failures.map(({ ref }) => removalId(ref)));
      const removed = refs.map(removalId).filter((id) => !failed.has(id));
      await Promise.all([
        removed.length > 0 && c.removals.deleteMany({ _id: { $in: removed } }),
        failures.length > 0 && recordFailures(c, failures),
      ]);
    },

    async pending(after, limit) {
      const rows = await c.removals
        .find({ _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      const next = rows.length < limit ? null : (rows.at(-1)?._id ?? null);
      return { refs: rows.map(({ bucket, key }) => ({ bucket, key })), next };
    },

    async backlog() {
      const [count, oldest] = await Promise.all([
        c.removals.estimatedDocumentCount(),
        c.removals
          .find({}, { projection: { since: 1 } })
          .sort({ since: 1 })
          .limit(1)
          .next(),
      ]);
      return { count, oldest: oldest?.since ?? null };
    },
  };
}

/** Adds objects to the outbox, in the transaction of the caller, if any. */
export async function queueRemovals(
  c: Collections,
  refs: readonly ObjectRef[],
  session?: ClientSession,
): Promise<void> {
  if (refs.length === 0) return;
  const since = new Date();
  const upserts = refs.map(({ bucket, key }) => ({
    updateOne: {
      filter: { _id: removalId({ bucket, key }) },
      update: { $setOnInsert: { bucket, key, since, attempts: 0, reason: null } },
      upsert: true,
    },
  }));
  await c.removals.bulkWrite(upserts, { ordered: false, ...(session === undefined ? {} : { session }) });
}

async function recordFailures(c: Collections, failures: readonly RemovalFailure[]): Promise<void> {
  const since = new Date();
  const upserts = failures.map(({ ref: { bucket, key }, reason }) => ({
    updateOne: {
      filter: { _id: removalId({ bucket, key }) },
      update: { $set: { bucket, key, reason }, $inc: { attempts: 1 }, $setOnInsert: { since } },
      upsert: true,
    },
  }));
  await c.removals.bulkWrite(upserts, { ordered: false });
}

export function createHistoryStore(mongo: Mongo): HistoryStore {
  const { histories } = collections(mongo.db);
  return {
    async pending(after, limit) {
      const rows = histories.find({ _id: { $gt: after } }).sort({ _id: 1 });
      const workflowIds = (await rows.limit(limit).toArray()).map(({ _id }) => _id);
      return { workflowIds, next: workflowIds.length < limit ? null : (workflowIds.at(-1) ?? null) };
    },

    async markDeleted(workflowIds) {
      if (workflowIds.length > 0) await histories.deleteMany({ _id: { $in: [...workflowIds] } });
    },
  };
}

/** Adds workflows to the outbox, in the transaction that deletes their jobs. */
export async function enqueueHistories(
  { histories }: Collections,
  workflowIds: readonly string[],
  session: ClientSession,
): Promise<void> {
  const since = new Date();
  const upserts = workflowIds.map((_id) => ({
    updateOne: { filter: { _id }, update: { $setOnInsert: { since } }, upsert: true },
  }));
  await histories.bulkWrite(upserts, { ordered: false, session });
}
