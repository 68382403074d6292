import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../lib/contract/limits.ts';
import { Refused } from '../../lib/domain/errors.ts';
import type { AccountRecord, EndpointRecord, KeyRecord } from '../../lib/domain/records.ts';
import { replacedSecrets } from '../../lib/domain/webhook-secrets.ts';
import type { AccountStore, EndpointHealth, KeyStore } from '../../lib/stores/account-store.ts';
import { type Books, copies, getOpenAccount, getOrThrow, newestFirst, once, post } from './books.ts';

export function createFakeAccountStore(books: Books): AccountStore {
  return {
    async create({ name, webhookUrl, webhookSecret, reference }) {
      const account: AccountRecord = {
        id: randomUUID(),
        name,
        status: 'active',
        balance: 0,
        seq: 0,
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
      const { accountId } = once(books, command, () => {
        books.accounts.set(account.id, account);
        return { accountId: account.id };
      });
      return this.get(accountId);
    },

    get: async (accountId) => structuredClone(getOrThrow(books.accounts, 'account', accountId)),
    findByReference: async (reference) => {
      const created = books.references.get(JSON.stringify(['account', '', reference]))?.result;
      return created && 'accountId' in created ? String(created.accountId) : undefined;
    },
    list: async (limit, after) => newestFirst([...books.accounts.values()], limit, after),

    async rename(accountId, name) {
      getOrThrow(books.accounts, 'account', accountId).name = name;
      return this.get(accountId);
    },

    close: async (accountId, forfeit) => close(books, accountId, forfeit),

    async setStatus(accountId, status) {
      getOpenAccount(books, accountId).status = status;
    },

    async setWebhook(accountId, { url, rotateTo }) {
      const { webhook } = getOpenAccount(books, accountId);
      if (url !== undefined) {
        Object.assign(webhook, { url, disabledReason: null });
        delete webhook.failingSince;
        delete webhook.failedCycles;
      }
      if (rotateTo !== undefined) {
        const { secret, previousUntil } = rotateTo;
        const older = rotateTo.keepOlder ? replacedSecrets(webhook, new Date()) : [];
        if (older.length > 0) webhook.olderSecrets = older;
        else delete webhook.olderSecrets;
        Object.assign(webhook, { previousSecret: webhook.secret, previousUntil, secret });
      }
      return this.get(accountId);
    },

    async changeWebhook(accountId, { url, secret }, change) {
      const { webhook } = getOpenAccount(books, accountId);
      return webhook.url === url && webhook.secret === secret
        ? this.setWebhook(accountId, change)
        : undefined;
    },

    async recordEndpointHealth(accountId, url, health) {
      const { webhook } = getOrThrow(books.accounts, 'account', accountId);
      if (webhook.url === url) recordHealth(webhook, health);
    },
  };
}

function recordHealth(webhook: EndpointRecord, health: EndpointHealth): void {
  const { failingSince, failedCycles } = webhook;
  if (health === 'healthy') {
    delete webhook.failingSince;
    delete webhook.failedCycles;
  } else if ('failingSince' in health) {
    if (failingSince === undefined || health.failingSince < failingSince)
      webhook.failingSince = health.failingSince;
  } else if ('failedCycle' in health) {
    const { from, until } = health.failedCycle;
    const overlaps = failedCycles !== undefined && failedCycles.until > from;
    if (failingSince !== undefined && failingSince <= from && !overlaps)
      webhook.failedCycles = { count: (failedCycles?.count ?? 0) + 1, until };
  } else if ((health.ifFailingSince ?? failingSince)?.getTime() === failingSince?.getTime())
    webhook.disabledReason = health.disabledReason;
}

function close(books: Books, accountId: string, forfeit: number): number {
  const account = getOrThrow(books.accounts, 'account', accountId);
  if (account.status === 'closed') return 0;
  const running = copies(books.jobs.values(), accountId).filter(({ status }) => status === 'processing');
  if (running.length > 0) throw new Refused(`Account ${accountId} has ${running.length} jobs in progress.`);
  const { balance } = account;
  if (balance !== forfeit) throw new Refused(`Account ${accountId} has ${balance} images left.`);
  const posting = { id: `forfeit:${accountId}`, accountId, kind: 'forfeit', delta: -balance } as const;
  if (balance > 0) post(books, posting);
  account.status = 'closed';
  account.webhook = {
    url: null,
    secret: '',
    previousSecret: null,
    previousUntil: null,
    disabledReason: null,
  };
  for (const key of books.keys.values()) if (key.accountId === accountId) key.revokedAt ??= new Date();
  return balance;
}

export function createFakeKeyStore(books: Books): KeyStore {
  const change = (keyId: string, set: Partial<KeyRecord>) => {
    const key = Object.assign(getOrThrow(books.keys, 'key', keyId), set);
    return withoutDigest(key);
  };
  return {
    async create({ reference, ...key }) {
      const { accountId, name, retentionDays, scopes } = key;
      const asked = { name, retentionDays, scopes: scopes?.join() ?? null };
      const command = { command: 'key', accountId, reference, asked } as const;
      return once(books, command, () => createKey(books, key));
    },

    async findCaller(digest) {
      const key = [...books.keys.values()].find((stored) => stored.digest === digest);
      if (key === undefined) return undefined;
      const account = getOrThrow(books.accounts, 'account', key.accountId);
      return {
        keyId: key.id,
        keyName: key.name,
        accountId: account.id,
        accountName: account.name,
        retentionDays: key.retentionDays,
        ...(key.scopes === undefined ? {} : { scopes: key.scopes }),
        revoked: key.revokedAt !== null || account.status !== 'active',
      };
    },

    async isRevoked(keyId) {
      const key = books.keys.get(keyId);
      return (
        key === undefined || key.revokedAt !== null || books.accounts.get(key.accountId)?.status !== 'active'
      );
    },

    list: async (accountId) => copies(books.keys.values(), accountId).map(withoutDigest),
    revoke: async (keyId) =>
      change(keyId, { revokedAt: getOrThrow(books.keys, 'key', keyId).revokedAt ?? new Date() }),
    setRetention: async (keyId, retentionDays) => change(keyId, { retentionDays }),
    setScopes: async (keyId, scopes) => {
      delete getOrThrow(books.keys, 'key', keyId).scopes;
      return change(keyId, scopes === null ? {} : { scopes });
    },
  };
}

function createKey(books: Books, key: Parameters<KeyStore['create']>[0]) {
  getOpenAccount(books, key.accountId);
  if ([...books.keys.values()].some(({ digest }) => digest === key.digest))
    throw new Error('The digest is already in use.');
  const first = !books.ledger.has(`grant:free50:${key.accountId}`);
  const stored = { id: randomUUID(), ...key, createdAt: new Date(), revokedAt: null };
  books.keys.set(stored.id, stored);
  if (!first) return { key: withoutDigest(stored), granted: 0 };
  const grant = { id: `grant:free50:${key.accountId}`, kind: 'grant' as const, delta: LIMITS.freeImages };
  post(books, { ...grant, accountId: key.accountId });
  return { key: withoutDigest(stored), granted: LIMITS.freeImages };
}

function withoutDigest({ digest: _, ...key }: KeyRecord & { digest: string }): KeyRecord {
  return structuredClone(key);
}
