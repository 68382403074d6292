import { LIMITS } from '../contract/limits.ts';
import { type AuditedJob, auditGoneJobs, auditJobs, auditSpentKeys, type SpentKey } from './audit-jobs.ts';
import { createRowAudit, grantId } from './audit-rows.ts';
import type { AccountRecord, LedgerRow, PackRecord } from './records.ts';

/** The account, and the facts that the end of its ledger depends on. */
export type AuditedAccount = Pick<AccountRecord, 'id' | 'status' | 'balance' | 'seq'> & {
  hasKeys: boolean;
  hasGrant: boolean;
};
type AuditedPack = Pick<PackRecord, 'id' | 'images' | 'refunded'>;

/** All records of an account. */
export interface AccountBooks {
  account: Omit<AuditedAccount, 'hasGrant'>;
  /** Ordered by number. */
  rows: readonly LedgerRow[];
  jobs: readonly AuditedJob[];
  packs: readonly AuditedPack[];
  spent: readonly SpentKey[];
}

/** Checks the ledger of one account. @returns a sentence for each breach; empty if there is none */
export function auditAccount(
  { account, rows, jobs, packs, spent }: AccountBooks,
  now = new Date(),
): string[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const books = { rows: byId, spent: new Map(spent.map((key) => [key.jobId, key])) };
  const jobIds = new Set(jobs.map(({ id }) => id));
  const packIds = new Set(packs.map(({ id }) => id));
  return [
    ...rows.flatMap(createRowAudit()),
    ...auditEnd({ ...account, hasGrant: byId.has(grantId(account.id)) }, rows.at(-1)),
    ...auditJobs(jobs, books, now),
    ...auditGoneJobs(
      subjectsOf(rows, 'jobId').filter((id) => !jobIds.has(id)),
      books,
    ),
    ...auditPacks(packs, rows),
    ...auditGonePacks(
      subjectsOf(rows, 'packId').filter((id) => !packIds.has(id)),
      rows,
    ),
    ...auditSpentKeys(spent, jobIds),
  ];
}

/** Ids of the jobs or packs that the rows name. */
export const subjectsOf = (rows: readonly LedgerRow[], field: 'jobId' | 'packId') => [
  ...new Set(rows.flatMap(({ [field]: id }) => (typeof id === 'string' ? [id] : []))),
];

/**
 * Balance and row count of the account must match its last row, and a closed account has no
 * balance.
 */
export function auditEnd(account: AuditedAccount, last: LedgerRow | undefined): string[] {
  const { status, balance, seq, hasKeys, hasGrant } = account;
  const breaches: string[] = [];
  if ((last?.balanceAfter ?? 0) !== balance)
    breaches.push(`the balance is ${balance}, but the ledger ends at ${last?.balanceAfter ?? 0}`);
  if ((last?.seq ?? 0) !== seq)
    breaches.push(`the account counts ${seq} rows, but the last row is number ${last?.seq ?? 0}`);
  if (status === 'closed' && balance !== 0)
    breaches.push(`the account is closed, but the balance is ${balance}`);
  if (hasKeys && !hasGrant) breaches.push(`the account has keys, but no grant of ${LIMITS.freeImages}`);
  return breaches;
}

/**
 * The rows of a pack must have its images and its refunds.
 * @param rows must include all rows of the packs
 */
export function auditPacks(packs: readonly AuditedPack[], rows: readonly LedgerRow[]): string[] {
  return packs.flatMap(({ id, images, refunded }) => {
    const posted = (kind: LedgerRow['kind']) => sumOf(rowsOf(rows, id).filter((row) => row.kind === kind));
    const [bought, returned] = [posted('pack'), -posted('pack-refund')];
    return [
      ...(bought === images ? [] : [`pack ${id} has ${images} images, but a row of ${bought}`]),
      ...(returned === refunded
        ? []
        : [`pack ${id} has ${refunded} images refunded, but rows of ${returned}`]),
      ...(refunded <= images ? [] : [`pack ${id} has ${refunded} images refunded of ${images}`]),
    ];
  });
}

/** No pack is ever deleted. */
export const auditGonePacks = (ids: readonly string[], rows: readonly LedgerRow[]): string[] =>
  ids.map((id) => `pack ${id} does not exist, but its rows sum to ${sumOf(rowsOf(rows, id))}`);

const rowsOf = (rows: readonly LedgerRow[], id: string) => rows.filter(({ packId }) => packId === id);

const sumOf = (rows: readonly LedgerRow[]) => rows.reduce((sum, { delta }) => sum + delta, 0);

/** Records of an account or a key that does not exist. */
export interface Orphans {
  owner: 'account' | 'key';
  id: string;
  records: 'ledger rows' | 'jobs' | 'packs' | 'keys' | 'idempotency keys';
  count: number;
  /** Sum over the ledger rows. */
  delta: number;
}

export function orphansBreach({ owner, id, records, count, delta }: Orphans): string {
  const sum = records === 'ledger rows' ? `, which sum to ${delta}` : '';
  return `${owner} ${id}: it does not exist, but ${count} of the ${records} name it${sum}`;
}
