import { randomUUID } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import { NotFound, type PackStore, Refused } from '../ports.ts';
import { imagesToRefund } from '../refund.ts';
import type { Mongo } from './client.ts';
import { collections, toRecord } from './documents.ts';
import { Overdrawn, post } from './ledger.ts';

export function createPackStore(mongo: Mongo): PackStore {
  const c = collections(mongo.db);

  async function find(packId: string, session?: ClientSession) {
    const pack = await c.packs.findOne({ _id: packId }, session === undefined ? {} : { session });
    if (pack === null) throw new NotFound(`There is no pack ${packId}.`);
    return pack;
  }

  return {
    add: ({ accountId, images, reference }) =>
      mongo.transaction(async (session) => {
        const pack = {
          _id: randomUUID(),
          accountId,
          images,
          refunded: 0,
          refunds: 0,
          reference,
          createdAt: new Date(),
        };
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

    async get(packId) {
      return toRecord(await find(packId));
    },

    async list(accountId) {
      return (await c.packs.find({ accountId }).sort({ createdAt: 1 }).toArray()).map(toRecord);
    },

    refund: (packId, images) =>
      mongo.transaction(async (session) => {
        const pack = await find(packId, session);
        const refunded = imagesToRefund(toRecord(pack), images);
        const after = { refunded: pack.refunded + refunded, refunds: pack.refunds + 1 };
        await c.packs.updateOne({ _id: packId }, { $set: after }, { session });
        const id = `pack-refund:${packId}:${after.refunds}`;
        const posting = { id, accountId: pack.accountId, kind: 'pack-refund' as const, packId };
        try {
          const balance = await post(c, session, { ...posting, delta: -refunded }, new Date());
          return { pack: toRecord({ ...pack, ...after }), refunded, balance };
        } catch (error) {
          if (!(error instanceof Overdrawn)) throw error;
          throw new Refused(
            `The balance of account ${pack.accountId} has fewer than ${refunded} images left.`,
          );
        }
      }),

    async hasPaid(accountId) {
      const left = { $expr: { $lt: ['$refunded', '$images'] } };
      return (await c.packs.findOne({ accountId, ...left }, { projection: { _id: 1 } })) !== null;
    },
  };
}
