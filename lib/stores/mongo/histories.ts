import type { ClientSession } from 'mongodb';
import type { HistoryStore } from '../history-store.ts';
import type { Mongo } from './client.ts';
import { type Collections, collections } from './documents.ts';

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
