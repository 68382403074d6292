import { randomUUID } from 'node:crypto';
import { NotFound } from '../../domain/errors.ts';
import type { AccountRecord } from '../../domain/records.ts';
import type { AccountStore } from '../ports.ts';
import type { Mongo } from './client.ts';
import { type AccountDocument, collections, toRecord } from './documents.ts';
import { createLookUp } from './look-up.ts';
import { once } from './references.ts';

export function createAccountStore(mongo: Mongo): AccountStore {
  const c = collections(mongo.db);
  const byId = createLookUp(c.accounts, '_id');

  async function get(accountId: string): Promise<AccountRecord> {
    const found = await byId(accountId);
    if (found === null) throw accountNotFound(accountId);
    return toAccount(found);
  }

  return {
    get,

    async create({ name, webhookUrl, webhookSecret, reference }) {
      const document: AccountDocument = {
        _id: randomUUID(),
        name,
        status: 'active',
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
      const command = { command: 'account', accountId: '', reference, asked: { name, webhookUrl } } as const;
      const { accountId, repeated } = await once(mongo, c, command, async (session) => {
        await c.accounts.insertOne(document, { session });
        return { accountId: document._id };
      });
      return repeated ? get(accountId) : toAccount(document);
    },

    async list(limit) {
      return (await c.accounts.find().sort({ createdAt: -1 }).limit(limit).toArray()).map(toAccount);
    },

    async setStatus(accountId, status) {
      await mongo.transaction(async (session) => {
        const { matchedCount } = await c.accounts.updateOne(
          { _id: accountId },
          { $set: { status } },
          { session },
        );
        if (matchedCount === 0) throw accountNotFound(accountId);
        await c.keys.updateMany(
          { accountId },
          { $set: { accountDisabled: status === 'disabled' } },
          { session },
        );
      });
    },

    async setWebhook(accountId, { url, rotateTo }) {
      const endpoint =
        url === undefined ? {} : { url: { $literal: url }, disabledReason: null, failingSince: '$$REMOVE' };
      const rotation = rotateTo && {
        previousSecret: '$webhook.secret',
        previousUntil: rotateTo.previousUntil,
        secret: { $literal: rotateTo.secret },
      };
      // An aggregation pipeline, because it reads the secret that it replaces.
      const updated = await c.accounts.findOneAndUpdate(
        { _id: accountId },
        [{ $set: { webhook: { secret: '$webhook.secret', ...endpoint, ...rotation } } }],
        { returnDocument: 'after' },
      );
      if (updated === null) throw accountNotFound(accountId);
      return toAccount(updated);
    },

    async recordEndpointHealth(accountId, url, health) {
      const update =
        health === 'healthy'
          ? { $unset: { 'webhook.failingSince': true as const } }
          : {
              $set: Object.fromEntries(
                Object.entries(health).map(([name, value]) => [`webhook.${name}`, value]),
              ),
            };
      await c.accounts.updateOne({ _id: accountId, 'webhook.url': url }, update);
    },
  };
}

const accountNotFound = (accountId: string) => new NotFound(`There is no account ${accountId}.`);

function toAccount({ keysIssued: _, ...account }: AccountDocument): AccountRecord {
  return toRecord(account);
}
