import type { AccountRecord, JobRecord, LedgerRow, PackRecord } from './records.ts';

type Books = Pick<AccountRecord, 'status' | 'balance' | 'seq'>;
type JobCharge = Pick<JobRecord, 'id' | 'status' | 'imagesCharged'>;
type PackSale = Pick<PackRecord, 'id' | 'images' | 'refunded'>;

/** Checks the ledger of one account. @returns a sentence for each breach; empty if there is none */
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

/** Balance and row count of the account must match its last row, and a closed account has no balance. */
export function auditEnd({ status, balance, seq }: Books, last: LedgerRow | undefined): string[] {
  const breaches: string[] = [];
  if ((last?.balanceAfter ?? 0) !== balance)
    breaches.push(`the balance is ${balance}, but the ledger ends at ${last?.balanceAfter ?? 0}`);
  if ((last?.seq ?? 0) !== seq)
    breaches.push(`the account counts ${seq} rows, but the last row is number ${last?.seq ?? 0}`);
  if (status === 'closed' && balance !== 0)
    breaches.push(`the account is closed, but the balance is ${balance}`);
  return breaches;
}

/**
 * Returns a function that checks the rows of an account, one call per row, in order. After a breach it continues from
 * the row's own values, so that one wrong row is reported once and not again with every later row.
 */
export function createRowAudit(): (row: LedgerRow) => string[] {
  let previous = { seq: 0, balance: 0 };
  return (row) => {
    const seq = previous.seq + 1;
    const sum = previous.balance + row.delta;
    previous = { seq: row.seq, balance: row.balanceAfter };
    const breaches: string[] = [];
    if (row.seq !== seq) breaches.push(`row ${row.id} has number ${row.seq}, expected ${seq}`);
    if (row.balanceAfter !== sum)
      breaches.push(`row ${row.id} has the balance ${row.balanceAfter}, expected ${sum}`);
    if (row.balanceAfter < 0) breaches.push(`row ${row.id} has a negative balance`);
    if (!hasMatchingId(row)) breaches.push(`row ${row.id} has an id that does not match its job or pack`);
    return breaches;
  };
}

/** The rows of a job or pack are looked up by these ids. */
function hasMatchingId({ id, kind, jobId, packId }: LedgerRow): boolean {
  if (jobId !== null && id !== `${kind}:${jobId}`) return false;
  return packId === null || id === `pack:${packId}` || id.startsWith(`pack-refund:${packId}:`);
}

/** Each job is charged exactly once, and only failed jobs are refunded. @param rows include all rows of the jobs */
export function auditJobs(jobs: readonly JobCharge[], rows: readonly LedgerRow[]): string[] {
  const byJob = groupBy(rows, ({ jobId }) => jobId);
  return jobs.flatMap((job) => {
    const posted = byJob.get(job.id) ?? [];
    const charges = posted.filter(({ kind }) => kind === 'charge');
    const charged = -sumOf(charges);
    const refunded = sumOf(posted) === 0;
    if (charges.length !== 1 || charges[0]?.delta !== -job.imagesCharged)
      return [
        `job ${job.id} has ${charges.length} charges of ${charged} in sum, expected one of ${job.imagesCharged}`,
      ];
    if (job.status === 'failed' && !refunded) return [`job ${job.id} failed without a refund`];
    if ((job.status === 'completed' || job.status === 'processing') && refunded)
      return [`job ${job.id} is ${job.status} but was refunded`];
    return [];
  });
}

/** The rows of a pack must sum to its images less its refunds. @param rows must include all rows of the packs */
export function auditPacks(packs: readonly PackSale[], rows: readonly LedgerRow[]): string[] {
  const byPack = groupBy(rows, ({ packId }) => packId);
  return packs.flatMap(({ id, images, refunded }) => {
    const [left, posted] = [images - refunded, sumOf(byPack.get(id) ?? [])];
    return left === posted ? [] : [`pack ${id} has ${left} images left, but its rows sum to ${posted}`];
  });
}

/**
 * Rows of unknown jobs must sum to zero, which a void leaves behind; rows of unknown packs are always a breach.
 * @param rows must include all rows of the jobs and packs that they reference
 */
export function auditStrays(
  rows: readonly LedgerRow[],
  jobs: ReadonlySet<string>,
  packs: ReadonlySet<string>,
): string[] {
  const byUnknownJob = groupBy(rows, ({ jobId }) => (jobId !== null && jobs.has(jobId) ? null : jobId));
  const byUnknownPack = groupBy(rows, ({ packId }) => (packId !== null && packs.has(packId) ? null : packId));
  return [
    ...[...byUnknownJob].flatMap(([id, posted]) =>
      sumOf(posted) === 0 ? [] : [`job ${id} does not exist, but its rows sum to ${sumOf(posted)}`],
    ),
    ...[...byUnknownPack].map(
      ([id, posted]) => `pack ${id} does not exist, but its rows sum to ${sumOf(posted)}`,
    ),
  ];
}

/** Rows whose id is null are left out. */
function groupBy(rows: readonly LedgerRow[], idOf: (row: LedgerRow) => string | null) {
  const groups = new Map<string, LedgerRow[]>();
  for (const row of rows) {
    const id = idOf(row);
    if (id === null) continue;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [row]);
    else group.push(row);
  }
  return groups;
}

const sumOf = (rows: readonly LedgerRow[]) => rows.reduce((sum, { delta }) => sum + delta, 0);
