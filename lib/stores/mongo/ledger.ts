import { randomUUID } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import { NotFound, Refused } from '../../domain/errors.ts';
import type { LedgerKind, LedgerRow } from '../../domain/records.ts';
import type { AuditOutcome, LedgerStore } from '../ledger-store.ts';
import { assertOpen, openAccount } from './account-status.ts';
import type { Mongo } from './client.ts';
import { type Collections, collections, toRecord } from './documents.ts';
import { auditLedger, rowPage } from './ledger-audit.ts';
import { auditOwners } from './ledger-orphans.ts';
import { runReferenced } from './references.ts';

/** Rows and accounts per query. */
const ROWS = 1000;
const ACCOUNTS = 1000;
const LAST_AUDIT = 'last_audit';

export interface Posting {
  /** Derived from the cause; a second posting with the same id fails as a duplicate key. */
  id: string;
  kind: LedgerKind;
  delta: number;
  jobId?: string;
  packId?: string;
  reason?: string;
}

/** Thrown by {@link postRows} inside a transaction when the balance does not cover the postings. */
export class Overdrawn extends Refused {}

/**
 * Updates the balance and writes numbered rows, in the caller's transaction. No other function
 * changes a balance.
 * @returns the new balance
 * @throws Overdrawn if the balance would be negative, if it would change in a closed account, or if
 * the account does not exist
 */
export async function postRows(
  c: Collections,
  session: ClientSession,
  accountId: string,
  postings: readonly Posting[],
  at: Date,
): Promise<number> {
  const delta = postings.reduce((sum, posting) => sum + posting.delta, 0);
  const account = await c.accounts.findOneAndUpdate(
    { ...(delta === 0 ? { _id: accountId } : openAccount(accountId)), balance: { $gte: -delta } },
    { $inc: { balance: delta, seq: postings.length } },
    { session, returnDocument: 'before', projection: { balance: 1, seq: 1 } },
  );
  if (account === null) throw new Overdrawn(`The balance of account ${accountId} is too low.`);
  let balanceAfter = account.balance;
  const rows = postings.map(({ id, jobId = null, packId = null, ...posting }, index) => {
    balanceAfter += posting.delta;
    const seq = account.seq + index + 1;
    return { _id: id, accountId, ...posting, seq, balanceAfter, jobId, packId, at };
  });
  await c.ledger.insertMany(rows, { session });
  return balanceAfter;
}

export function createLedgerStore(mongo: Mongo): LedgerStore {
  const c = collections(mongo.db);
  return {
    async list(accountId) {
      const rows: LedgerRow[] = [];
      for (;;) {
        const page = await rowPage(c, accountId, { after: rows.at(-1)?.seq, limit: ROWS });
        rows.push(...page);
        if (page.length < ROWS) return rows;
      }
    },

    async page(accountId, after, limit) {
      const older = after === undefined ? {} : { seq: { $lt: await seqOf(c, accountId, after) } };
      const rows = c.ledger.find({ accountId, ...older }).sort({ seq: -1 });
      return (await rows.limit(limit).toArray()).map(toRecord);
    },

    credit({ accountId, images, reason, reference }) {
      const command = { command: 'credit', accountId, reference, asked: { images, reason } } as const;
      return runReferenced(mongo, c, command, async (session) => {
        await assertOpen(c, accountId, session);
        const id = `credit:${randomUUID()}`;
        const posting = { id, kind: 'credit', delta: images, reason } as const;
        return { id, balance: await postRows(c, session, accountId, [posting], new Date()) };
      });
    },

    async audit(accountId, onPage) {
      if (accountId !== undefined) return auditLedger(mongo, accountId, onPage);
      const breaches: string[] = [];
      for await (const ids of accountPages(c))
        for (const id of ids) breaches.push(...(await auditLedger(mongo, id, onPage)));
      return [...breaches, ...(await auditOwners(mongo, onPage))];
    },

    auditOrphans: (onPage) => auditOwners(mongo, onPage),

    async recordAudit(value) {
      await c.settings.updateOne({ _id: LAST_AUDIT }, { $set: { value } }, { upsert: true });
    },

    async lastAudit() {
      const last = await c.settings.findOne({ _id: LAST_AUDIT });
      if (last !== null) return last.value as AuditOutcome;
      const [oldest] = await c.accounts.find().sort({ createdAt: 1, _id: 1 }).limit(1).toArray();
      return { at: oldest?.createdAt ?? new Date(), breaches: 0 };
    },
  };
}

/** @throws NotFound */
async function seqOf({ ledger }: Collections, accountId: string, id: string): Promise<number> {
  const row = await ledger.findOne({ _id: id, accountId }, { projection: { seq: 1 } });
  if (row === null) throw new NotFound(`There is no ${id} to continue after.`);
  return row.seq;
}

/** Ids of all accounts, in pages. */
async function* accountPages({ accounts }: Collections): AsyncGenerator<string[]> {
  let after = '';
  for (;;) {
    const page = accounts.find({ _id: { $gt: after } }, { projection: { _id: 1 } }).sort({ _id: 1 });
    const ids = (await page.limit(ACCOUNTS).toArray()).map(({ _id }) => _id);
    if (ids.length === 0) return;
    yield ids;
    after = ids.at(-1) ?? after;
  }
}
