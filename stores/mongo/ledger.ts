import type { ClientSession } from 'mongodb';
import { auditAccount } from '../audit.ts';
import { type LedgerStore, Refused } from '../ports.ts';
import type { LedgerKind } from '../records.ts';
import type { Mongo } from './client.ts';
import { type Collections, collections, toRecord } from './documents.ts';

export interface Posting {
  /** Names the cause; a second posting of the same id fails as a duplicate key. */
  id: string;
  accountId: string;
  kind: LedgerKind;
  delta: number;
  jobId?: string;
  packId?: string;
}

/** Thrown by {@link post} inside a transaction when the balance does not cover the posting. */
export class Overdrawn extends Refused {}

/**
 * Moves one balance once; see {@link postAll}.
 * @returns the balance after
 */
export async function post(
  c: Collections,
  session: ClientSession,
  { accountId, ...posting }: Posting,
  at: Date,
): Promise<number> {
  return postAll(c, session, accountId, [posting], at);
}

/**
 * The one way a balance changes: moves it, numbers the rows and writes them, all in the caller's transaction.
 * @returns the balance after
 * @throws Overdrawn when the balance would fall below zero or the account is unknown
 */
export async function postAll(
  c: Collections,
  session: ClientSession,
  accountId: string,
  postings: readonly Omit<Posting, 'accountId'>[],
  at: Date,
): Promise<number> {
  const delta = postings.reduce((sum, posting) => sum + posting.delta, 0);
  const account = await c.accounts.findOneAndUpdate(
    { _id: accountId, balance: { $gte: -delta } },
    { $inc: { balance: delta, seq: postings.length } },
    { session, returnDocument: 'before', projection: { balance: 1, seq: 1 } },
  );
  if (account === null) throw new Overdrawn(`The balance of account ${accountId} does not cover it.`);
  let balanceAfter = account.balance;
  const rows = postings.map(({ id, kind, delta, jobId = null, packId = null }, index) => {
    balanceAfter += delta;
    const seq = account.seq + index + 1;
    return { _id: id, accountId, kind, seq, delta, balanceAfter, jobId, packId, at };
  });
  await c.ledger.insertMany(rows, { session });
  return balanceAfter;
}

export function createLedgerStore(mongo: Mongo): LedgerStore {
  const c = collections(mongo.db);
  return {
    async list(accountId) {
      return (await c.ledger.find({ accountId }).sort({ seq: 1 }).toArray()).map(toRecord);
    },

    async audit(accountId) {
      const breaches: string[] = [];
      const accounts = c.accounts.find(accountId === undefined ? {} : { _id: accountId }, {
        projection: { _id: 1 },
      });
      for await (const { _id } of accounts) breaches.push(...(await auditOne(mongo, c, _id)));
      return breaches;
    },
  };
}

/** Reads an account's books in one snapshot, so that work going on beside does not look like a breach. */
function auditOne(mongo: Mongo, c: Collections, accountId: string): Promise<string[]> {
  return mongo.transaction(async (session) => {
    const account = await c.accounts.findOne({ _id: accountId }, { session });
    if (account === null) return [];
    const rows = await c.ledger.find({ accountId }, { session }).sort({ seq: 1 }).toArray();
    const jobs = await c.jobs
      .find({ accountId }, { session, projection: { status: 1, imagesCharged: 1 } })
      .toArray();
    const packs = await c.packs.find({ accountId }, { session }).toArray();
    return auditAccount(toRecord(account), rows.map(toRecord), jobs.map(toRecord), packs.map(toRecord));
  });
}
