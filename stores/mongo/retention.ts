import type { RetentionStore } from '../retention-store.ts';
import type { Mongo } from './client.ts';
import { collections } from './documents.ts';

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
      const ended = { keyId, status: { $in: ['completed' as const, 'failed' as const] }, ...not(except) };
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
      // Among jobs completed in the same millisecond as the newest surplus job, those with a greater id stay.
      return ids(oldest.filter((job) => job.completedAt?.getTime() !== at?.getTime() || job._id <= id));
    },

    async failedWithInput(createdBefore, limit, except) {
      const failed = { status: 'failed' as const, 'inputs.bucket': 'inputs' as const, ...not(except) };
      const jobs = c.jobs.find({ ...failed, createdAt: { $lt: createdBefore } }, ID_ONLY);
      return ids(await jobs.limit(limit).toArray());
    },

    async processing(createdBefore, after, limit) {
      const jobs = await c.jobs
        .find(
          { status: 'processing', _id: { $gt: after }, createdAt: { $lt: createdBefore } },
          { projection: { workflowId: 1 } },
        )
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return jobs.map(({ _id, workflowId }) => ({ id: _id, workflowId }));
    },

    async unowned(refs) {
      const owned = new Set<string>();
      for (const bucket of ['inputs', 'results'] as const) {
        const keys = refs.filter((ref) => ref.bucket === bucket).map(({ key }) => key);
        if (keys.length === 0) continue;
        const owners = c.jobs.find({ [`${bucket}.key`]: { $in: keys } }, { projection: { [bucket]: 1 } });
        for await (const job of owners) for (const { key } of job[bucket]) owned.add(`${bucket}/${key}`);
      }
      return refs.filter(({ bucket, key }) => !owned.has(`${bucket}/${key}`));
    },
  };
}

const not = (except: readonly string[] = []) => (except.length === 0 ? {} : { _id: { $nin: [...except] } });

const ids = (jobs: readonly { _id: string }[]) => jobs.map(({ _id }) => _id);
