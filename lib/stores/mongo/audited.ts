import type { ClientSession, Collection, Filter } from 'mongodb';
import { type AuditedAccount, auditGonePacks, auditPacks } from '../../domain/audit.ts';
import { auditGoneJobs, auditJobs, JOB_KINDS, type SpentKey } from '../../domain/audit-jobs.ts';
import { grantId } from '../../domain/audit-rows.ts';
import type { LedgerRow } from '../../domain/records.ts';
import { type Collections, type IdempotencyDocument, toRecord } from './documents.ts';

/** An account in a snapshot. Pass the options to every read. */
export interface View {
  c: Collections;
  options: { session: ClientSession };
  accountId: string;
}

/** The fields of a job that are audited. */
const JOB = {
  keyId: 1,
  status: 1,
  imagesCharged: 1,
  workflowId: 1,
  idempotencyKey: 1,
  createdAt: 1,
  deleted: 1,
} as const;

export async function findAccount({ c, options, accountId }: View): Promise<AuditedAccount | undefined> {
  const account = await c.accounts.findOne({ _id: accountId }, options);
  if (account === null) return undefined;
  const [keys, grants] = await Promise.all([
    c.keys.countDocuments({ accountId }, { ...options, limit: 1 }),
    c.ledger.countDocuments({ _id: grantId(accountId) }, options),
  ]);
  return { ...toRecord(account), hasKeys: keys > 0, hasGrant: grants > 0 };
}

/**
 * Audits jobs. Of jobs that do not exist, audits the rows that they have left.
 * @param known rows that need not be read again
 */
export async function auditJobsOf(
  { c, options, accountId }: View,
  ids: readonly string[],
  known: readonly LedgerRow[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const jobs = await c.jobs
    .find({ _id: { $in: [...ids] }, accountId }, { ...options, projection: JOB })
    .toArray();
  const rows = new Map<string, Pick<LedgerRow, 'delta'>>(known.map((row) => [row.id, row]));
  const unread = ids.flatMap((id) => JOB_KINDS.map((kind) => `${kind}:${id}`)).filter((id) => !rows.has(id));
  const others = c.ledger.find({ _id: { $in: unread } }, { ...options, projection: { delta: 1 } });
  for (const { _id, delta } of await others.toArray()) rows.set(_id, { delta });
  const keys = await spentKeys(c, { _id: { $in: [...ids] } }, options);
  const spent = new Map(keys.map((key) => [key.jobId, key]));
  const found = new Set(jobs.map(({ _id }) => _id));
  const gone = ids.filter((id) => !found.has(id));
  return [...auditJobs(jobs.map(toRecord), { rows, spent }, new Date()), ...auditGoneJobs(gone, { rows })];
}

export async function spentKeys(
  { idempotency }: Collections,
  filter: Filter<IdempotencyDocument>,
  options: View['options'] & { sort?: Record<string, 1>; limit?: number },
): Promise<SpentKey[]> {
  const rows = idempotency.find(filter, { ...options, projection: { keyId: 1, key: 1 } });
  return (await rows.toArray()).map(({ _id: jobId, keyId, key }) => ({ jobId, keyId, key }));
}

/** Audits packs. Of packs that do not exist, audits the rows that they have left. */
export async function auditPacksOf(
  { c, options, accountId }: View,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const packs = (await c.packs.find({ _id: { $in: [...ids] }, accountId }, options).toArray()).map(toRecord);
  const rows = await rowsOfPacks(c, ids, options);
  const found = new Set(packs.map(({ id }) => id));
  const gone = ids.filter((id) => !found.has(id));
  return [...auditPacks(packs, rows), ...auditGonePacks(gone, rows)];
}

async function rowsOfPacks(
  { ledger }: Collections,
  ids: readonly string[],
  options: View['options'],
): Promise<LedgerRow[]> {
  // A prefix search: ';' follows ':' in ASCII.
  const refunds = ids.map((id) => ({ _id: { $gt: `pack-refund:${id}:`, $lt: `pack-refund:${id};` } }));
  const query = { $or: [{ _id: { $in: ids.map((id) => `pack:${id}`) } }, ...refunds] };
  return (await ledger.find(query, options).toArray()).map(toRecord);
}

/** Ids of the documents that exist. */
export async function existingIds<T extends { _id: string }>(
  collection: Collection<T>,
  filter: Filter<T>,
  options: View['options'],
): Promise<Set<string>> {
  const found = collection.find<{ _id: string }>(filter, { ...options, projection: { _id: 1 } });
  return new Set((await found.toArray()).map(({ _id }) => _id));
}
