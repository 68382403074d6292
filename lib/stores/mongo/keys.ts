import { randomUUID } from 'node:crypto';
import type { ClientSession, UpdateFilter } from 'mongodb';
import { LIMITS } from '../../contract/limits.ts';
import { grantId } from '../../domain/audit-rows.ts';
import { NotFound } from '../../domain/errors.ts';
import type { KeyRecord } from '../../domain/records.ts';
import type { KeyStore } from '../account-store.ts';
import { accountNotFound, assertOpen } from './account-status.ts';
import type { Mongo } from './client.ts';
import { type Collections, collections, type KeyDocument, toRecord } from './documents.ts';
import { postRows } from './ledger.ts';
import { createLookUp } from './queries.ts';
import { runReferenced } from './references.ts';

export function createKeyStore(mongo: Mongo): KeyStore {
  const c = collections(mongo.db);
  const byDigest = createLookUp(c.keys, 'digest');
  const byId = createLookUp(c.keys, '_id');

  async function change(keyId: string, update: UpdateFilter<KeyDocument>, filter = {}): Promise<KeyRecord> {
    await c.keys.updateOne({ _id: keyId, ...filter }, update);
    const key = await c.keys.findOne({ _id: keyId });
    if (key === null) throw new NotFound(`There is no key ${keyId}.`);
    return toKey(key);
  }

  return {
    create({ reference, ...key }) {
      const { accountId, name, retentionDays, scopes } = key;
      const asked = { name, retentionDays, scopes: scopes?.join() ?? null };
      const command = { command: 'key', accountId, reference, asked } as const;
      return runReferenced(mongo, c, command, (session) => create(c, session, key));
    },

    async findCaller(digest) {
      const key = await byDigest(digest);
      if (key === null) return undefined;
      return {
        keyId: key._id,
        keyName: key.name,
        accountId: key.accountId,
        accountName: key.accountName,
        retentionDays: key.retentionDays,
        ...(key.scopes === undefined ? {} : { scopes: key.scopes }),
        revoked: isRevoked(key),
      };
    },

    async isRevoked(keyId) {
      const key = await byId(keyId);
      return key === null || isRevoked(key);
    },

    async list(accountId) {
      const keys = c.keys.find({ accountId }).sort({ createdAt: 1 });
      return (await keys.toArray()).map(toKey);
    },

    revoke: (keyId) => change(keyId, { $set: { revokedAt: new Date() } }, { revokedAt: null }),
    setRetention: (keyId, days) => change(keyId, { $set: { retentionDays: days } }),
    setScopes: (keyId, scopes) =>
      change(keyId, scopes === null ? { $unset: { scopes: true } } : { $set: { scopes } }),
  };
}

const isRevoked = ({ revokedAt, accountDisabled }: KeyDocument) => revokedAt !== null || accountDisabled;

async function create(c: Collections, session: ClientSession, key: Parameters<KeyStore['create']>[0]) {
  await assertOpen(c, key.accountId, session);
  const createdAt = new Date();
  const account = await c.accounts.findOneAndUpdate(
    { _id: key.accountId },
    { $inc: { keysIssued: 1 } },
    { session, returnDocument: 'before' },
  );
  if (account === null) throw accountNotFound(key.accountId);
  const document: KeyDocument = {
    _id: randomUUID(),
    ...key,
    accountName: account.name,
    accountDisabled: account.status === 'disabled',
    createdAt,
    revokedAt: null,
  };
  await c.keys.insertOne(document, { session });
  if (account.keysIssued > 0) return { key: toKey(document), granted: 0 };
  const grant = { id: grantId(account._id), kind: 'grant', delta: LIMITS.freeImages } as const;
  await postRows(c, session, account._id, [grant], createdAt);
  return { key: toKey(document), granted: LIMITS.freeImages };
}

/** Omits the fields that only authentication needs. */
function toKey({
  digest: _digest,
  accountName: _name,
  accountDisabled: _off,
  ...key
}: KeyDocument): KeyRecord {
  return toRecord(key);
}
