import type { ClientSession } from 'mongodb';
import { Refused } from '../../domain/errors.ts';
import { accountNotFound } from './account-status.ts';
import type { Mongo } from './client.ts';
import type { Collections } from './documents.ts';
import { postRows } from './ledger.ts';

/**
 * See AccountStore.close. An acceptance changes the account too, so it conflicts with this
 * transaction.
 */
export async function closeAccount(
  mongo: Mongo,
  c: Collections,
  accountId: string,
  forfeit: number,
): Promise<number> {
  return mongo.transaction(async (session) => {
    const account = await c.accounts.findOne({ _id: accountId }, { session });
    if (account === null) throw accountNotFound(accountId);
    if (account.status === 'closed') return 0;
    await assertIdle(c, accountId, session);
    const { balance } = account;
    if (balance !== forfeit) throw otherBalance(accountId, balance, forfeit);
    const at = new Date();
    const posting = { id: `forfeit:${accountId}`, kind: 'forfeit', delta: -balance } as const;
    if (balance > 0) await postRows(c, session, accountId, [posting], at);
    await c.accounts.updateOne(
      { _id: accountId },
      { $set: { status: 'closed', webhook: NONE } },
      { session },
    );
    await c.keys.updateMany({ accountId }, { $set: { accountDisabled: true } }, { session });
    await c.keys.updateMany({ accountId, revokedAt: null }, { $set: { revokedAt: at } }, { session });
    return balance;
  });
}

const NONE = { url: null, secret: '', previousSecret: null, previousUntil: null, disabledReason: null };

const otherBalance = (accountId: string, balance: number, forfeit: number) =>
  new Refused(
    forfeit === 0
      ? `Account ${accountId} has ${balance} images left. Add --forfeit to give them up.`
      : `Account ${accountId} has ${balance} images left now, not ${forfeit}. It was not closed.`,
  );

async function assertIdle({ jobs }: Collections, accountId: string, session: ClientSession): Promise<void> {
  const running = await jobs.countDocuments({ accountId, status: 'processing' }, { session });
  if (running > 0)
    throw new Refused(
      `Account ${accountId} has ${running} jobs in progress. Wait until they have ended, or cancel them.`,
    );
}
