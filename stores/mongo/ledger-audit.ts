import type { ClientSession } from 'mongodb';
import { auditEnd, auditJobs, auditPacks, auditStrays, createRowAudit } from '../../domain/audit.ts';
import type { LedgerRow } from '../../domain/records.ts';
import type { Mongo } from './client.ts';
import { type Collections, toRecord } from './documents.ts';
import { followers, NEWEST_FIRST } from './newest-first.ts';

/** Documents per query. */
const PAGE = 1000;

/**
 * Audits the ledger of one account. Reads page by page, so that memory and query time are bounded, and each page in a
 * transaction of its own, so that concurrent writes do not look like a breach.
 * @returns a sentence for each breach
 */
export async function auditBooks(mongo: Mongo, c: Collections, accountId: string): Promise<string[]> {
  const breaches = new Set<string>();
  const report = (found: readonly string[]) => {
    for (const breach of found) breaches.add(`account ${accountId}: ${breach}`);
  };
  const last = await mongo.transaction(async (session) => {
    const account = await c.accounts.findOne({ _id: accountId }, { session });
    const [row] = await c.ledger.find({ accountId }, { session }).sort({ seq: -1 }).limit(1).toArray();
    if (account !== null) report(auditEnd(account, row && toRecord(row)));
    return row?.seq ?? 0;
  });
  // Rows up to `last` are immutable.
  const auditRow = createRowAudit();
  for await (const rows of rowPages(c, accountId, last)) {
    for (const row of rows) report(auditRow(row));
    report(await mongo.transaction((session) => auditReferences(c, session, accountId, rows)));
  }
  for await (const ids of jobPages(c, accountId))
    report(
      await mongo.transaction(async (session) => {
        const query = { _id: { $in: ids }, accountId };
        const jobs = c.jobs.find(query, { session, projection: { status: 1, imagesCharged: 1 } });
        return auditJobs((await jobs.toArray()).map(toRecord), await rowsOf(c, session, ids, []));
      }),
    );
  for await (const ids of packPages(c, accountId))
    report(
      await mongo.transaction(async (session) => {
        const packs = await c.packs.find({ _id: { $in: ids } }, { session }).toArray();
        return auditPacks(packs.map(toRecord), await rowsOf(c, session, [], ids));
      }),
    );
  return [...breaches];
}

/** Rows of an account, ordered by number. @param last number of the last row to return */
export async function* rowPages(
  c: Collections,
  accountId: string,
  last = Number.POSITIVE_INFINITY,
): AsyncGenerator<LedgerRow[]> {
  let after = Number.NEGATIVE_INFINITY;
  for (;;) {
    const rows = c.ledger.find({ accountId, seq: { $gt: after, $lte: last } }).sort({ seq: 1 });
    const page = (await rows.limit(PAGE).toArray()).map(toRecord);
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.seq ?? last;
  }
}

/** Job ids of an account, the newest first. */
async function* jobPages(c: Collections, accountId: string): AsyncGenerator<string[]> {
  let older = {};
  for (;;) {
    const jobs = c.jobs.find({ accountId, ...older }, { projection: { createdAt: 1 } });
    const page = await jobs.sort(NEWEST_FIRST).limit(PAGE).toArray();
    const last = page.at(-1);
    if (last === undefined) return;
    yield page.map(({ _id }) => _id);
    older = followers(last);
  }
}

async function* packPages(c: Collections, accountId: string): AsyncGenerator<string[]> {
  let after = '';
  for (;;) {
    const packs = c.packs.find({ accountId, _id: { $gt: after } }, { projection: { _id: 1 } });
    const page = await packs.sort({ _id: 1 }).limit(PAGE).toArray();
    if (page.length === 0) return;
    yield page.map(({ _id }) => _id);
    after = page.at(-1)?._id ?? after;
  }
}

/** Audits rows that reference a job or pack which the account does not have. */
async function auditReferences(
  c: Collections,
  session: ClientSession,
  accountId: string,
  rows: readonly LedgerRow[],
): Promise<string[]> {
  const referenced = { jobs: idsOf(rows, 'jobId'), packs: idsOf(rows, 'packId') };
  const ofAccount = (ids: string[]) => ({ _id: { $in: ids }, accountId });
  const options = { session, projection: { _id: 1 } } as const;
  const jobs = (await c.jobs.find(ofAccount(referenced.jobs), options).toArray()).map(({ _id }) => _id);
  const packs = (await c.packs.find(ofAccount(referenced.packs), options).toArray()).map(({ _id }) => _id);
  const missing = { jobs: without(referenced.jobs, jobs), packs: without(referenced.packs, packs) };
  if (missing.jobs.length + missing.packs.length === 0) return [];
  return auditStrays(await rowsOf(c, session, missing.jobs, missing.packs), new Set(), new Set());
}

/** All rows of the jobs and packs, looked up by the ids derived from them. */
async function rowsOf(
  { ledger }: Collections,
  session: ClientSession,
  jobIds: readonly string[],
  packIds: readonly string[],
): Promise<LedgerRow[]> {
  const ofJobs = jobIds.flatMap((id) => [`charge:${id}`, `refund:${id}`, `void:${id}`]);
  const ids = [...ofJobs, ...packIds.map((id) => `pack:${id}`)];
  // A prefix search: ';' follows ':' in ASCII.
  const refunds = packIds.map((id) => ({ _id: { $gt: `pack-refund:${id}:`, $lt: `pack-refund:${id};` } }));
  const rows = await ledger.find({ $or: [{ _id: { $in: ids } }, ...refunds] }, { session }).toArray();
  return rows.map(toRecord);
}

const idsOf = (rows: readonly LedgerRow[], field: 'jobId' | 'packId') => [
  ...new Set(rows.flatMap(({ [field]: id }) => (id === null ? [] : [id]))),
];

function without(all: readonly string[], excluded: readonly string[]): string[] {
  const excludedIds = new Set(excluded);
  return all.filter((id) => !excludedIds.has(id));
}
