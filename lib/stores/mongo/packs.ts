import { randomUUID } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import { imagesToRefund } from '../../domain/commands.ts';
import { NotFound, Refused } from '../../domain/errors.ts';
import type { PackRecord } from '../../domain/records.ts';
import type { PackStore } from '../ledger-store.ts';
import { assertOpen } from './account-status.ts';
import type { Mongo } from './client.ts';
import { type Collections, collections, type Stored, toRecord } from './documents.ts';
import { Overdrawn, postRows } from './ledger.ts';
import { runReferenced } from './references.ts';

/** Not fully refunded. */
const PAID = { $expr: { $lt: ['$refunded', '$images'] } };

export function createPackStore(mongo: Mongo): PackStore {
  const c = collections(mongo.db);

  async function find(packId: string, session?: ClientSession) {
    const pack = await c.packs.findOne({ _id: packId }, session === undefined ? {} : { session });
    if (pack === null) throw new NotFound(`There is no pack ${packId}.`);
    return pack;
  }

  return {
    add({ accountId, images, reference }) {
      const command = { command: 'pack', accountId, reference, asked: { images } } as const;
      return runReferenced(mongo, c, command, (session) => add(c, session, { accountId, images, reference }));
    },

    async get(packId) {
      return toRecord(await find(packId));
    },

    async list(accountId) {
      return (await c.packs.find({ accountId }).sort({ createdAt: 1 }).toArray()).map(toRecord);
    },

    async refund(packId, images, reference) {
      const { accountId } = await find(packId);
      const asked = { pack: packId, images: images ?? null };
      return runReferenced(
        mongo,
        c,
        { command: 'pack-refund', accountId, reference, asked },
        async (session) => refund(c, session, await find(packId, session), images),
      );
    },

    async hasPaid(accountId) {
      return (await c.packs.findOne({ accountId, ...PAID }, { projection: { _id: 1 } })) !== null;
    },

    async paidAmong(accountIds) {
      const paid = c.packs.find(
        { accountId: { $in: [...accountIds] }, ...PAID },
        { projection: { accountId: 1 } },
      );
      return new Set((await paid.toArray()).map(({ accountId }) => accountId));
    },
  };
}

async function add(c: Collections, session: ClientSession, purchase: Parameters<PackStore['add']>[0]) {
  const pack = { _id: randomUUID(), ...purchase, refunded: 0, refunds: 0, createdAt: new Date() };
  const { _id: packId, accountId, images: delta, createdAt } = pack;
  const posting = { id: `pack:${packId}`, kind: 'pack' as const, delta, packId };
  await assertOpen(c, accountId, session);
  const balance = await postRows(c, session, accountId, [posting], createdAt);
  await c.packs.insertOne(pack, { session });
  return { pack: toRecord(pack), balance };
}

async function refund(c: Collections, session: ClientSession, pack: Stored<PackRecord>, images?: number) {
  const { _id: packId, accountId } = pack;
  const refunded = imagesToRefund(toRecord(pack), images);
  const after = { refunded: pack.refunded + refunded, refunds: pack.refunds + 1 };
  await c.packs.updateOne({ _id: packId }, { $set: after }, { session });
  const id = `pack-refund:${packId}:${after.refunds}`;
  const posting = { id, kind: 'pack-refund' as const, packId, delta: -refunded };
  try {
    const balance = await postRows(c, session, accountId, [posting], new Date());
    return { pack: toRecord({ ...pack, ...after }), refunded, balance };
  } catch (error) {
    if (!(error instanceof Overdrawn)) throw error;
    throw new Refused(`The balance of account ${accountId} has fewer than ${refunded} images left.`);
  }
}
