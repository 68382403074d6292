import type { ClientSession } from 'mongodb';
import type { ObjectRef } from '../../domain/records.ts';
import type { RetentionStore } from '../retention-store.ts';
import type { Mongo } from './client.ts';
import { type Collections, collections } from './documents.ts';

const ENDED = { $in: ['completed' as const, 'failed' as const] };
const ID_ONLY = { projection: { _id: 1 } } as const;

export function createRetentionStore(mongo: Mongo): RetentionStore {
  const c = collections(mongo.db);
  return {
    async keys(after, limit) {
      const keys = await c.keys
        .find({ _id: { $gt: after }, retentionDays: { $gte: 1 } }, { projection: { retentionDays: 1 } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return keys.map(({ _id, retentionDays }) => ({ id: _id, retentionDays: retentionDays ?? 0 }));
    },

    async expired(keyId, createdBefore, limit, except) {
      const ended = { keyId, status: ENDED, ...not(except) };
      const jobs = c.jobs.find({ ...ended, createdAt: { $lt: createdBefore } }, ID_ONLY);
      return ids(await jobs.sort({ createdAt: 1 }).limit(limit).toArray());
    },

    async surplus(accountId, keep, limit) {
      const completed = { accountId, status: 'completed' as const };
      const fields = { projection: { completedAt: 1 } };
      const [newest] = await c.jobs
        .find(completed, fields)
        .sort({ completedAt: -1, _id: -1 })
        .skip(keep)
        .limit(1)
        .toArray();
      if (newest === undefined) return [];
      const { _id: id, completedAt: at } = newest;
      const oldest = await c.jobs
        .find({ ...completed, completedAt: { $lte: at } }, fields)
        .sort({ completedAt: 1, _id: 1 })
        .limit(limit)
        .toArray();
      // Among jobs completed in the same millisecond as the newest surplus job, those with a
      // greater id stay.
      return ids(oldest.filter((job) => job.completedAt?.getTime() !== at?.getTime() || job._id <= id));
    },

    async failedWithInput(createdBefore, limit, except) {
      const failed = { status: 'failed' as const, 'inputs.bucket': 'inputs' as const, ...not(except) };
      const jobs = c.jobs.find({ ...failed, createdAt: { $lt: createdBefore } }, ID_ONLY);
      return ids(await jobs.limit(limit).toArray());
    },

    async processing(olderThanMs, after, limit) {
      const ageMs = { $subtract: ['$$NOW', '$createdAt'] };
      const jobs = c.jobs.aggregate<{ _id: string; workflowId: string; ageMs: number }>([
        { $match: { status: 'processing', _id: { $gt: after }, $expr: { $gt: [ageMs, olderThanMs] } } },
        { $sort: { _id: 1 } },
        { $limit: limit },
        { $project: { workflowId: 1, ageMs } },
      ]);
      return (await jobs.toArray()).map(({ _id, ...job }) => ({ id: _id, ...job }));
    },

    async oldestProcessing() {
      const processing = c.jobs.find({ status: 'processing' }, { projection: { createdAt: 1 } });
      return (await processing.sort({ createdAt: 1 }).limit(1).next())?.createdAt ?? null;
    },

    async ofClosedAccounts(limit, except) {
      const jobs = c.accounts.aggregate<{ _id: string }>([
        { $match: { status: 'closed' } },
        {
          $lookup: {
            from: c.jobs.collectionName,
            localField: '_id',
            foreignField: 'accountId',
            pipeline: [
              { $match: { status: ENDED, ...not(except) } },
              { $limit: limit },
              { $project: { _id: 1 } },
            ],
            as: 'jobs',
          },
        },
        { $unwind: '$jobs' },
        { $limit: limit },
        { $replaceWith: '$jobs' },
      ]);
      return ids(await jobs.toArray());
    },

    unowned: (refs) => unownedOf(c, refs),

    async hasImages(bucket) {
      return (await c.jobs.findOne({ [`${bucket}.key`]: { $gt: '' } }, ID_ONLY)) !== null;
    },
  };
}

/** See RetentionStore.unowned. */
export async function unownedOf(
  { jobs }: Pick<Collections, 'jobs'>,
  refs: readonly ObjectRef[],
  session?: ClientSession,
): Promise<ObjectRef[]> {
  const owned = new Set<string>();
  for (const bucket of ['inputs', 'results'] as const) {
    const keys = refs.filter((ref) => ref.bucket === bucket).map(({ key }) => key);
    if (keys.length === 0) continue;
    const options = { projection: { [bucket]: 1 }, ...(session === undefined ? {} : { session }) };
    const owners = jobs.find({ [`${bucket}.key`]: { $in: keys } }, options);
    for await (const job of owners) for (const { key } of job[bucket]) owned.add(`${bucket}/${key}`);
  }
  return refs.filter(({ bucket, key }) => !owned.has(`${bucket}/${key}`));
}

const not = (except: readonly string[] = []) => (except.length === 0 ? {} : { _id: { $nin: [...except] } });

const ids = (jobs: readonly { _id: string }[]) => jobs.map(({ _id }) => _id);
