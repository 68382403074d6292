import type { AccountRecord, JobRecord, LedgerRow, PackRecord } from './records.ts';

type Books = Pick<AccountRecord, 'balance' | 'seq'>;
type JobCharge = Pick<JobRecord, 'id' | 'status' | 'imagesCharged'>;
type PackSale = Pick<PackRecord, 'id' | 'images' | 'refunded'>;

/** Every breach of the ledger's rules in one account's books, as sentences; empty when they are right. */
export function auditAccount(
  account: Books,
  rows: readonly LedgerRow[],
  jobs: readonly JobCharge[],
  packs: readonly PackSale[],
): string[] {
  return [
    ...rows.flatMap(createRowAudit()),
    ...auditEnd(account, rows.at(-1)),
    ...auditJobs(jobs, rows),
    ...auditPacks(packs, rows),
    ...auditStrays(rows, new Set(jobs.map(({ id }) => id)), new Set(packs.map(({ id }) => id))),
  ];
}

/** What the account says of itself is what its last row says. */
export function auditEnd({ balance, seq }: Books, last: LedgerRow | undefined): string[] {
  const breaches: string[] = [];
  if ((last?.balanceAfter ?? 0) !== balance)
    breaches.push(`the balance is ${balance}, but the ledger ends at ${last?.balanceAfter ?? 0}`);
  if ((last?.seq ?? 0) !== seq)
    breaches.push(`the account counts ${seq} rows, but the last row is number ${last?.seq ?? 0}`);
  return breaches;
}

/**
 * Follows the rows of an account in their order, one call each. After a breach it goes on from what the row says, so
 * that one wrong row is not reported with every row behind it.
 */
export function createRowAudit(): (row: LedgerRow) => string[] {
  let before = { seq: 0, sum: 0 };
  return (row) => {
    const [seq, sum] = [before.seq + 1, before.sum + row.delta];
    before = { seq: row.seq, sum: row.balanceAfter };
    const breaches: string[] = [];
    if (row.seq !== seq) breaches.push(`row ${row.id} is number ${row.seq}, not ${seq}`);
    if (row.balanceAfter !== sum)
      breaches.push(`row ${row.id} says ${row.balanceAfter}, but the sum is ${sum}`);
    if (row.balanceAfter < 0) breaches.push(`row ${row.id} takes the balance below zero`);
    if (!namesItsCause(row)) breaches.push(`row ${row.id} does not name its cause`);
    return breaches;
  };
}

/** By this, the rows of a job or pack are found by their ids alone. */
function namesItsCause({ id, kind, jobId, packId }: LedgerRow): boolean {
  if (jobId !== null && id !== `${kind}:${jobId}`) return false;
  return packId === null || id === `pack:${packId}` || id.startsWith(`pack-refund:${packId}:`);
}

/** Each job is charged exactly once, and only a failed one is refunded. @param rows at least all those of the jobs */
export function auditJobs(jobs: readonly JobCharge[], rows: readonly LedgerRow[]): string[] {
  const byJob = groupBy(rows, ({ jobId }) => jobId);
  return jobs.flatMap((job) => {
    const posted = byJob.get(job.id) ?? [];
    const charges = posted.filter(({ kind }) => kind === 'charge');
    const refunded = sumOf(posted) === 0;
    if (charges.length !== 1 || charges[0]?.delta !== -job.imagesCharged)
      return [`job ${job.id} has ${charges.length} charges that do not come to ${job.imagesCharged}`];
    if (job.status === 'failed' && !refunded) return [`job ${job.id} failed without a refund`];
    if ((job.status === 'completed' || job.status === 'processing') && refunded)
      return [`job ${job.id} is ${job.status}, but was refunded`];
    return [];
  });
}

/** What is posted for a pack is what was bought less what was refunded. @param rows at least all those of the packs */
export function auditPacks(packs: readonly PackSale[], rows: readonly LedgerRow[]): string[] {
  const byPack = groupBy(rows, ({ packId }) => packId);
  return packs.flatMap(({ id, images, refunded }) => {
    const [left, posted] = [images - refunded, sumOf(byPack.get(id) ?? [])];
    return left === posted ? [] : [`pack ${id} has ${left} images left, but ${posted} are posted for it`];
  });
}

/** A void leaves rows without a job, which come to nothing. @param rows at least all those of the jobs and packs they name */
export function auditStrays(
  rows: readonly LedgerRow[],
  jobs: ReadonlySet<string>,
  packs: ReadonlySet<string>,
): string[] {
  const ofNoJob = groupBy(rows, ({ jobId }) => (jobId !== null && jobs.has(jobId) ? null : jobId));
  const ofNoPack = groupBy(rows, ({ packId }) => (packId !== null && packs.has(packId) ? null : packId));
  return [
    ...[...ofNoJob].flatMap(([id, posted]) =>
      sumOf(posted) === 0 ? [] : [`a charge stands for job ${id}, which does not exist`],
    ),
    ...[...ofNoPack].map(
      ([id, posted]) => `${sumOf(posted)} images stand for pack ${id}, which does not exist`,
    ),
  ];
}

/** Rows without a name belong to no group. */
function groupBy(rows: readonly LedgerRow[], nameOf: (row: LedgerRow) => string | null) {
  const groups = new Map<string, LedgerRow[]>();
  for (const row of rows) {
    const name = nameOf(row);
    if (name === null) continue;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}

const sumOf = (rows: readonly LedgerRow[]) => rows.reduce((sum, { delta }) => sum + delta, 0);
