import type { ObjectRef } from '../../domain/records.ts';
import type { OrphanStore } from '../retention-store.ts';
import type { Mongo } from './client.ts';
import { collections } from './documents.ts';
import { queueRemovals, removalId } from './outboxes.ts';
import { unownedOf } from './retention.ts';

type Bucket = ObjectRef['bucket'];

export function createOrphanStore(mongo: Mongo): OrphanStore {
  const c = collections(mongo.db);
  return {
    async record(bucket, { after, until }, keys, confirmed) {
      const _id =
        until === null
          ? rest(bucket, after)
          : { ...rest(bucket, after), $lte: removalId({ bucket, key: until }) };
      await c.orphans.deleteMany({ _id: { ..._id, $nin: keys.map((key) => removalId({ bucket, key })) } });
      if (keys.length > 0)
        await c.orphans.bulkWrite(
          keys.map((key) => upsert({ bucket, key })),
          { ordered: false },
        );
      if (confirmed) await c.orphans.updateMany({ _id }, { $set: { confirmed } });
      return c.orphans.countDocuments({ _id, confirmed: { $ne: true } });
    },

    async due(bucket, keptMs, after, limit) {
      const rows = await c.orphans
        .aggregate<ObjectRef & { isDue: boolean }>([
          { $match: { _id: rest(bucket, after) } },
          { $sort: { _id: 1 } },
          { $limit: limit },
          { $project: { bucket: 1, key: 1, isDue: { $lte: ['$since', { $subtract: ['$$NOW', keptMs] }] } } },
        ])
        .toArray();
      const refs = rows.filter(({ isDue }) => isDue).map(({ key }) => ({ bucket, key }));
      return { refs, next: rows.length < limit ? null : (rows.at(-1)?.key ?? null) };
    },

    // A restored job that gets one of the objects deletes the object's row too, so only one of the
    // two transactions commits.
    enqueueRemovals: (refs) =>
      mongo.transaction(async (session) => {
        await c.orphans.deleteMany({ _id: { $in: refs.map(removalId) } }, { session });
        const unowned = await unownedOf(c, refs, session);
        await queueRemovals(c, unowned, session);
        return unowned;
      }),
  };
}

/** The ids of the bucket whose keys come after `after`. '0' follows '/' in ASCII. */
const rest = (bucket: Bucket, after: string) => ({
  $gt: removalId({ bucket, key: after }),
  $lt: `${bucket}0`,
});

/** A pipeline, for MongoDB's clock; it needs `$literal` for keys that begin with `$`. */
const upsert = ({ bucket, key }: ObjectRef) => ({
  updateOne: {
    filter: { _id: removalId({ bucket, key }) },
    update: [{ $set: { bucket, key: { $literal: key }, since: { $ifNull: ['$since', '$$NOW'] } } }],
    upsert: true,
  },
});
