import type { ClientSession } from 'mongodb';
import { auditEnd, auditJobs, auditPacks, auditStrays, createRowAudit } from '../audit.ts';
import type { LedgerRow } from '../records.ts';
import type { Mongo } from './client.ts';
import { type Collections, toRecord } from './documents.ts';

/** Documents read at a time. */
const PAGE = 1000;

/**
 * Every breach in an account's books. They are read a page at a time, each in a snapshot of its own, so that an account
 * of any size takes bounded memory and no long answer, and that work going on beside does not look like a breach.
 */
export async function auditBooks(mongo: Mongo, c: Collections, accountId: string): Promise<string[]> {
  const breaches = new Set<string>();
  const note = (found: readonly string[]) => {
    for (const breach of found) breaches.add(`account ${accountId}: ${breach}`);
  };
  const last = await mongo.transaction(async (session) => {
    const account = await c.accounts.findOne({ _id: accountId }, { session });
    const [row] = await c.ledger.find({ accountId }, { session }).sort({ seq: -1 }).limit(1).toArray();
    if (account !== null) note(auditEnd(account, row && toRecord(row)));
    return row?.seq ?? 0;
  });
  // The rows up to here stay as they are.
  const follow = createRowAudit();
  for await (const rows of rowPages(c, accountId, last)) {
    for (const row of rows) note(follow(row));
    note(await mongo.transaction((session) => straysAmong(c, session, accountId, rows)));
  }
  for await (const ids of jobPages(c, accountId))
    note(
      await mongo.transaction(async (session) => {
        const query = { _id: { $in: ids }, accountId };
        const jobs = c.jobs.find(query, { session, projection: { status: 1, imagesCharged: 1 } });
        return auditJobs((await jobs.toArray()).map(toRecord), await rowsOf(c, session, ids, []));
      }),
    );
  for await (const ids of packPages(c, accountId))
    note(
      await mongo.transaction(async (session) => {
        const packs = await c.packs.find({ _id: { $in: ids } }, { session }).toArray();
        return auditPacks(packs.map(toRecord), await rowsOf(c, session, [], ids));
      }),
    );
  return [...breaches];
}

/** The rows of an account in their order. @param last number of the last row wanted */
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

/** Ids of an account's jobs, the newest first. */
async function* jobPages(c: Collections, accountId: string): AsyncGenerator<string[]> {
  let older = {};
  for (;;) {
    const jobs = c.jobs.find({ accountId, ...older }, { projection: { createdAt: 1 } });
    const page = await jobs.sort({ createdAt: -1, _id: -1 }).limit(PAGE).toArray();
    const last = page.at(-1);
    if (last === undefined) return;
    yield page.map(({ _id }) => _id);
    const { createdAt, _id } = last;
    // The first condition is implied by the second, which no index serves.
    older = {
      createdAt: { $lte: createdAt },
      $or: [{ createdAt: { $lt: createdAt } }, { _id: { $lt: _id } }],
    };
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

/** What stands for jobs and packs that the account does not have, of those its rows name. */
async function straysAmong(
  c: Collections,
  session: ClientSession,
  accountId: string,
  rows: readonly LedgerRow[],
): Promise<string[]> {
  const named = { jobs: idsOf(rows, 'jobId'), packs: idsOf(rows, 'packId') };
  const own = (ids: string[]) => ({ _id: { $in: ids }, accountId });
  const options = { session, projection: { _id: 1 } } as const;
  const jobs = (await c.jobs.find(own(named.jobs), options).toArray()).map(({ _id }) => _id);
  const packs = (await c.packs.find(own(named.packs), options).toArray()).map(({ _id }) => _id);
  const lost = { jobs: without(named.jobs, jobs), packs: without(named.packs, packs) };
  if (lost.jobs.length + lost.packs.length === 0) return [];
  return auditStrays(await rowsOf(c, session, lost.jobs, lost.packs), new Set(), new Set());
}

/** All rows of the jobs and packs, by the ids that rows have by their cause. */
async function rowsOf(
  { ledger }: Collections,
  session: ClientSession,
  jobIds: readonly string[],
  packIds: readonly string[],
): Promise<LedgerRow[]> {
  const ofJobs = jobIds.flatMap((id) => [`charge:${id}`, `refund:${id}`, `void:${id}`]);
  const ids = [...ofJobs, ...packIds.map((id) => `pack:${id}`)];
  // ';' comes just after ':'.
  const refunds = packIds.map((id) => ({ _id: { $gt: `pack-refund:${id}:`, $lt: `pack-refund:${id};` } }));
  const rows = await ledger.find({ $or: [{ _id: { $in: ids } }, ...refunds] }, { session }).toArray();
  return rows.map(toRecord);
}

const idsOf = (rows: readonly LedgerRow[], field: 'jobId' | 'packId') => [
  ...new Set(rows.flatMap(({ [field]: id }) => (id === null ? [] : [id]))),
];

function without(all: readonly string[], some: readonly string[]): string[] {
  const known = new Set(some);
  return all.filter((id) => !known.has(id));
}
