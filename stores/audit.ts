import type { AccountRecord, JobRecord, LedgerRow, PackRecord } from './records.ts';

type Books = Pick<AccountRecord, 'id' | 'balance' | 'seq'>;
type JobCharge = Pick<JobRecord, 'id' | 'status' | 'imagesCharged'>;

/** Every breach of the ledger's rules in one account's books, as sentences; empty when they are right. */
export function auditAccount(
  account: Books,
  rows: readonly LedgerRow[],
  jobs: readonly JobCharge[],
  packs: readonly PackRecord[],
): string[] {
  const breaches = [...auditRows(rows), ...auditJobs(rows, jobs), ...auditPacks(rows, packs)];
  const last = rows.at(-1);
  if ((last?.balanceAfter ?? 0) !== account.balance)
    breaches.push(`the balance is ${account.balance}, but the ledger ends at ${last?.balanceAfter ?? 0}`);
  if ((last?.seq ?? 0) !== account.seq)
    breaches.push(`the account counts ${account.seq} rows, but the last row is number ${last?.seq ?? 0}`);
  return breaches.map((breach) => `account ${account.id}: ${breach}`);
}

function auditRows(rows: readonly LedgerRow[]): string[] {
  const breaches: string[] = [];
  let sum = 0;
  for (const [index, row] of rows.entries()) {
    sum += row.delta;
    if (row.seq !== index + 1) breaches.push(`row ${row.id} is number ${row.seq}, not ${index + 1}`);
    if (row.balanceAfter !== sum)
      breaches.push(`row ${row.id} says ${row.balanceAfter}, but the sum is ${sum}`);
    if (row.balanceAfter < 0) breaches.push(`row ${row.id} takes the balance below zero`);
  }
  return breaches;
}

/** Each job is charged exactly once; only a failed one is refunded, and a void leaves charge and no job. */
function auditJobs(rows: readonly LedgerRow[], jobs: readonly JobCharge[]): string[] {
  const breaches: string[] = [];
  const byJob = new Map<string, LedgerRow[]>();
  for (const row of rows)
    if (row.jobId !== null) byJob.set(row.jobId, [...(byJob.get(row.jobId) ?? []), row]);
  for (const job of jobs) {
    const posted = byJob.get(job.id) ?? [];
    byJob.delete(job.id);
    const charges = posted.filter(({ kind }) => kind === 'charge');
    const refunded = sumOf(posted) === 0;
    if (charges.length !== 1 || charges[0]?.delta !== -job.imagesCharged)
      breaches.push(`job ${job.id} has ${charges.length} charges that do not come to ${job.imagesCharged}`);
    else if (job.status === 'failed' && !refunded) breaches.push(`job ${job.id} failed without a refund`);
    else if ((job.status === 'completed' || job.status === 'processing') && refunded)
      breaches.push(`job ${job.id} is ${job.status}, but was refunded`);
  }
  for (const [jobId, posted] of byJob)
    if (sumOf(posted) !== 0) breaches.push(`a charge stands for job ${jobId}, which does not exist`);
  return breaches;
}

/** What was posted for a pack is what was bought less what was refunded. */
function auditPacks(rows: readonly LedgerRow[], packs: readonly PackRecord[]): string[] {
  const posted = new Map(packs.map(({ id }) => [id, 0]));
  for (const { packId, delta } of rows)
    if (packId !== null) posted.set(packId, (posted.get(packId) ?? 0) + delta);
  const left = new Map(packs.map(({ id, images, refunded }) => [id, images - refunded]));
  return [...posted].flatMap(([id, sum]) => {
    const images = left.get(id);
    if (images === sum) return [];
    if (images === undefined) return [`${sum} images stand for pack ${id}, which does not exist`];
    return [`pack ${id} has ${images} images left, but ${sum} are posted for it`];
  });
}

const sumOf = (rows: readonly LedgerRow[]) => rows.reduce((sum, { delta }) => sum + delta, 0);
