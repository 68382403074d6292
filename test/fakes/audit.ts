import { auditAccount, type Orphans, orphansBreach } from '../../lib/domain/audit.ts';
import type { SpentKey } from '../../lib/domain/audit-jobs.ts';
import type { AccountRecord } from '../../lib/domain/records.ts';
import { type Books, copies } from './books.ts';

export function auditBooks(books: Books, account: AccountRecord): string[] {
  const keys = copies(books.keys.values(), account.id);
  const keyIds = new Set(keys.map(({ id }) => id));
  const jobs = copies(books.jobs.values(), account.id);
  const jobIds = new Set(jobs.map(({ id }) => id));
  return auditAccount({
    account: { ...account, hasKeys: keys.length > 0 },
    rows: copies(books.ledger.values(), account.id),
    jobs,
    packs: copies(books.packs.values(), account.id),
    spent: spentKeys(books).filter(({ jobId, keyId }) => jobIds.has(jobId) || keyIds.has(keyId)),
  }).map((breach) => `account ${account.id}: ${breach}`);
}

function spentKeys({ idempotency }: Books): SpentKey[] {
  return [...idempotency].map(([id, { jobId }]) => {
    const [keyId, key] = JSON.parse(id) as [string, string];
    return { jobId, keyId, key };
  });
}

export function auditOrphans(books: Books): string[] {
  const { accounts, ledger, jobs, packs, keys } = books;
  const owned = { 'ledger rows': ledger, jobs, packs, keys };
  const ofAccounts = Object.entries(owned).flatMap(([records, all]) =>
    orphans(
      'account',
      records as Orphans['records'],
      [...all.values()],
      (record) => record.accountId,
      accounts,
    ),
  );
  const spent = spentKeys(books).filter(({ jobId }) => !jobs.has(jobId));
  const ofKeys = orphans('key', 'idempotency keys', spent, ({ keyId }) => keyId, keys);
  return [...ofAccounts, ...ofKeys].map(orphansBreach);
}

function orphans<T extends object>(
  owner: Orphans['owner'],
  records: Orphans['records'],
  all: readonly T[],
  ownerOf: (record: T) => string,
  owners: ReadonlyMap<string, unknown>,
): Orphans[] {
  const gone = new Set(all.map(ownerOf).filter((id) => !owners.has(id)));
  return [...gone].map((id) => {
    const left = all.filter((record) => ownerOf(record) === id);
    const delta = left.reduce((sum, record) => sum + ('delta' in record ? Number(record.delta) : 0), 0);
    return { owner, id, records, count: left.length, delta };
  });
}
