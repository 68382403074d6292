import { randomUUID } from 'node:crypto';
import { NotFound, type PackStore } from '../ports.ts';
import type { Mongo } from './client.ts';
import { collections, toRecord } from './documents.ts';
import { Overdrawn, post } from './ledger.ts';

export function createPackStore(mongo: Mongo): PackStore {
  const c = collections(mongo.db);
  return {
    add: ({ accountId, images, reference }) =>
      mongo.transaction(async (session) => {
        const pack = { _id: randomUUID(), accountId, images, refunded: 0, reference, createdAt: new Date() };
        const posting = {
          id: `pack:${pack._id}`,
          accountId,
          kind: 'pack' as const,
          delta: images,
          packId: pack._id,
        };
        try {
          const balance = await post(c, session, posting, pack.createdAt);
          await c.packs.insertOne(pack, { session });
          return { pack: toRecord(pack), balance };
        } catch (error) {
          if (error instanceof Overdrawn) throw new NotFound(`There is no account ${accountId}.`);
          throw error;
        }
      }),

    async hasPaid(accountId) {
      const left = { $expr: { $lt: ['$refunded', '$images'] } };
      return (await c.packs.findOne({ accountId, ...left }, { projection: { _id: 1 } })) !== null;
    },
  };
}
