import { randomUUID } from 'node:crypto';
import { imagesToRefund } from '../../lib/domain/commands.ts';
import type { PackRecord } from '../../lib/domain/records.ts';
import type { LedgerStore, PackStore } from '../../lib/stores/ledger-store.ts';
import type { SettingsStore, Stores } from '../../lib/stores/stores.ts';
import { createFakeAccountStore, createFakeKeyStore } from './accounts.ts';
import { auditBooks, auditOrphans } from './audit.ts';
import {
  type Books,
  copies,
  emptyBooks,
  getOpenAccount,
  getOrThrow,
  newestFirst,
  once,
  post,
} from './books.ts';
import { createFakeDeliveryStore } from './deliveries.ts';
import { createFakeGeneratorCallStore } from './generator-calls.ts';
import { createFakeJobStore } from './jobs.ts';
import {
  createFakeHistoryStore,
  createFakeOrphanStore,
  createFakeRemovalStore,
  createFakeRetentionStore,
} from './retention.ts';

/** All stores in memory. Tests may read `books`, and corrupt them. */
export function createFakeStores(): Stores & { books: Books } {
  const books = emptyBooks();
  return {
    books,
    accounts: createFakeAccountStore(books),
    deliveries: createFakeDeliveryStore(books),
    generatorCalls: createFakeGeneratorCallStore(books),
    histories: createFakeHistoryStore(books),
    keys: createFakeKeyStore(books),
    jobs: createFakeJobStore(books),
    ledger: createFakeLedgerStore(books),
    packs: createFakePackStore(books),
    removals: createFakeRemovalStore(books),
    retention: createFakeRetentionStore(books),
    orphans: createFakeOrphanStore(books),
    settings: createFakeSettingsStore(books),
  };
}

function createFakeSettingsStore(books: Books): SettingsStore {
  const setMember = <T>(members: Set<T>, member: T, isIn: boolean) => {
    if (isIn) members.add(member);
    else members.delete(member);
  };
  return {
    apiEnabled: async () => books.apiEnabled,
    setApiEnabled: async (enabled) => {
      books.apiEnabled = enabled;
    },
    disabledTools: async () => [...books.disabledTools].sort(),
    setToolEnabled: async (slug, enabled) => setMember(books.disabledTools, slug, !enabled),
    installation: async () => books.installation,
    claimInstallation: async (id) => {
      books.installation ??= id;
      return books.installation;
    },
    setInstallation: async (id) => {
      books.installation = id;
    },
    removalsHeld: async () => [...books.removalsHeld].sort(),
    setRemovalsHeld: async (reason, held) => setMember(books.removalsHeld, reason, held),
  };
}

function createFakeLedgerStore(books: Books): LedgerStore {
  return {
    list: async (accountId) => copies(books.ledger.values(), accountId),
    page: async (accountId, after, limit) =>
      newestFirst(copies(books.ledger.values(), accountId), limit, after),
    async credit({ accountId, images, reason, reference }) {
      return once(books, { command: 'credit', accountId, reference, asked: { images, reason } }, () => {
        getOpenAccount(books, accountId);
        const id = `credit:${randomUUID()}`;
        return { id, balance: post(books, { id, accountId, kind: 'credit', delta: images, reason }) };
      });
    },

    audit: async (accountId) => [
      ...[...books.accounts.values()]
        .filter(({ id }) => accountId === undefined || id === accountId)
        .flatMap((account) => auditBooks(books, account)),
      ...(accountId === undefined ? auditOrphans(books) : []),
    ],
    auditOrphans: async () => auditOrphans(books),
    async recordAudit(outcome) {
      books.lastAudit = outcome;
    },
    async lastAudit() {
      const [oldest] = books.accounts.values();
      return books.lastAudit ?? { at: oldest?.createdAt ?? new Date(), breaches: 0 };
    },
  };
}

function createFakePackStore(books: Books): PackStore {
  const hasPaid = (accountId: string) =>
    copies(books.packs.values(), accountId).some((pack) => pack.refunded < pack.images);
  return {
    async add(purchase) {
      const { accountId, images, reference } = purchase;
      return once(books, { command: 'pack', accountId, reference, asked: { images } }, () => {
        const pack: PackRecord = {
          id: randomUUID(),
          ...purchase,
          refunded: 0,
          refunds: 0,
          createdAt: new Date(),
        };
        const posting = { id: `pack:${pack.id}`, kind: 'pack' as const, delta: images, packId: pack.id };
        getOpenAccount(books, accountId);
        const balance = post(books, { ...posting, accountId });
        books.packs.set(pack.id, pack);
        return { pack: structuredClone(pack), balance };
      });
    },

    get: async (packId) => structuredClone(getOrThrow(books.packs, 'pack', packId)),
    list: async (accountId) => copies(books.packs.values(), accountId),

    async refund(packId, images, reference) {
      const pack = getOrThrow(books.packs, 'pack', packId);
      const { accountId } = pack;
      const asked = { pack: packId, images: images ?? null };
      return once(books, { command: 'pack-refund', accountId, reference, asked }, () => {
        const refunded = imagesToRefund(pack, images);
        const id = `pack-refund:${packId}:${pack.refunds + 1}`;
        const balance = post(books, { id, accountId, kind: 'pack-refund', delta: -refunded, packId });
        pack.refunded += refunded;
        pack.refunds += 1;
        return { pack: structuredClone(pack), refunded, balance };
      });
    },

    hasPaid: async (accountId) => hasPaid(accountId),
    paidAmong: async (accountIds) => new Set(accountIds.filter(hasPaid)),
  };
}
