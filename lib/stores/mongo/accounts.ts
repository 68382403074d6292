import { randomUUID } from 'node:crypto';
import type { Filter } from 'mongodb';
import type { AccountRecord } from '../../domain/records.ts';
import type { AccountStore, WebhookChange } from '../account-store.ts';
import { accountNotFound, assertOpen, openAccount } from './account-status.ts';
import type { Mongo } from './client.ts';
import { closeAccount } from './closing.ts';
import { type AccountDocument, collections, toRecord } from './documents.ts';
import { recordEndpointHealth } from './endpoint-health.ts';
import { createLookUp, NEWEST_FIRST, pageAfter } from './queries.ts';
import { resultOf, runReferenced } from './references.ts';

export function createAccountStore(mongo: Mongo): AccountStore {
  const c = collections(mongo.db);
  const byId = createLookUp(c.accounts, '_id');

  async function get(accountId: string): Promise<AccountRecord> {
    const found = await byId(accountId);
    if (found === null) throw accountNotFound(accountId);
    return toAccount(found);
  }

  async function changeWebhook(filter: Filter<AccountDocument>, { url, rotateTo }: WebhookChange) {
    const endpoint =
      url === undefined
        ? {}
        : {
            url: { $literal: url },
            disabledReason: null,
            failingSince: '$$REMOVE',
            failedCycles: '$$REMOVE',
          };
    const rotation = rotateTo && {
      previousSecret: '$webhook.secret',
      previousUntil: rotateTo.previousUntil,
      secret: { $literal: rotateTo.secret },
      olderSecrets: rotateTo.keepOlder ? validSecrets(new Date()) : '$$REMOVE',
    };
    // An aggregation pipeline, because it reads the secret that it replaces.
    return c.accounts.findOneAndUpdate(
      filter,
      [{ $set: { webhook: { secret: '$webhook.secret', ...endpoint, ...rotation } } }],
      { returnDocument: 'after' },
    );
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
      const { accountId, repeated } = await runReferenced(mongo, c, command, async (session) => {
        await c.accounts.insertOne(document, { session });
        return { accountId: document._id };
      });
      return repeated ? get(accountId) : toAccount(document);
    },

    async findByReference(reference) {
      const created = await resultOf(c, { command: 'account', accountId: '', reference });
      return (created as { accountId: string } | undefined)?.accountId;
    },

    async list(limit, after) {
      const accounts = c.accounts.find(await pageAfter(c.accounts, after)).sort(NEWEST_FIRST);
      return (await accounts.limit(limit).toArray()).map(toAccount);
    },

    rename: (accountId, name) =>
      mongo.transaction(async (session) => {
        const options = { session, returnDocument: 'after' } as const;
        const renamed = await c.accounts.findOneAndUpdate({ _id: accountId }, { $set: { name } }, options);
        if (renamed === null) throw accountNotFound(accountId);
        await c.keys.updateMany({ accountId }, { $set: { accountName: name } }, { session });
        return toAccount(renamed);
      }),

    close: (accountId, forfeit) => closeAccount(mongo, c, accountId, forfeit),

    async setStatus(accountId, status) {
      await mongo.transaction(async (session) => {
        await assertOpen(c, accountId, session);
        await c.accounts.updateOne({ _id: accountId }, { $set: { status } }, { session });
        await c.keys.updateMany(
          { accountId },
          { $set: { accountDisabled: status === 'disabled' } },
          { session },
        );
      });
    },

    async setWebhook(accountId, change) {
      const updated = await changeWebhook(openAccount(accountId), change);
      if (updated !== null) return toAccount(updated);
      await assertOpen(c, accountId);
      throw accountNotFound(accountId);
    },

    async changeWebhook(accountId, { url, secret }, change) {
      const same = { ...openAccount(accountId), 'webhook.url': url, 'webhook.secret': secret };
      const updated = await changeWebhook(same, change);
      if (updated === null) await assertOpen(c, accountId);
      return updated === null ? undefined : toAccount(updated);
    },

    recordEndpointHealth: (...recorded) => recordEndpointHealth(c, ...recorded),
  };
}

/**
 * The result of `replacedSecrets` for the stored endpoint, as an expression; removes the field if
 * the result is empty.
 */
function validSecrets(now: Date) {
  const previous = { secret: '$webhook.previousSecret', until: '$webhook.previousUntil' };
  const input = { $concatArrays: [[previous], { $ifNull: ['$webhook.olderSecrets', []] }] };
  const valid = { $filter: { input, cond: { $gt: ['$$this.until', now] } } };
  return { $cond: [{ $eq: [valid, []] }, '$$REMOVE', valid] };
}

function toAccount({ keysIssued: _, ...account }: AccountDocument): AccountRecord {
  return toRecord(account);
}
