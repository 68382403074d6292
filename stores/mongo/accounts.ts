import { randomUUID } from 'node:crypto';
import { type AccountStore, NotFound } from '../ports.ts';
import type { Mongo } from './client.ts';
import { collections, toRecord } from './documents.ts';

export function createAccountStore(mongo: Mongo): AccountStore {
  const c = collections(mongo.db);
  return {
    async create({ name, webhookUrl, webhookSecret }) {
      const document = {
        _id: randomUUID(),
        name,
        status: 'active' as const,
        balance: 0,
        seq: 0,
        keysIssued: 0,
        webhook: {
          url: webhookUrl,
          secret: webhookSecret,
          previousSecret: null,
          previousUntil: null,
          disabledReason: null,
        },
        createdAt: new Date(),
      };
      await c.accounts.insertOne(document);
      return toRecord(document);
    },

    async get(accountId) {
      const found = await c.accounts.findOne({ _id: accountId });
      if (found === null) throw new NotFound(`There is no account ${accountId}.`);
      return toRecord(found);
    },

    async setStatus(accountId, status) {
      await mongo.transaction(async (session) => {
        const { matchedCount } = await c.accounts.updateOne(
          { _id: accountId },
          { $set: { status } },
          { session },
        );
        if (matchedCount === 0) throw new NotFound(`There is no account ${accountId}.`);
        await c.keys.updateMany(
          { accountId },
          { $set: { accountDisabled: status === 'disabled' } },
          { session },
        );
      });
    },
  };
}
