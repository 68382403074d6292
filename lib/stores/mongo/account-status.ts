import type { ClientSession } from 'mongodb';
import { NotFound, Refused } from '../../domain/errors.ts';
import type { Collections } from './documents.ts';

export const accountNotFound = (accountId: string) => new NotFound(`There is no account ${accountId}.`);

const accountClosed = (accountId: string) => new Refused(`Account ${accountId} is closed for good.`);

/** Matches an account unless it is closed. */
export const openAccount = (accountId: string) => ({ _id: accountId, status: { $ne: 'closed' as const } });

/** @throws NotFound; Refused if the account is closed */
export async function assertOpen(
  { accounts }: Collections,
  accountId: string,
  session?: ClientSession,
): Promise<void> {
  const options = { projection: { status: 1 }, ...(session === undefined ? {} : { session }) } as const;
  const account = await accounts.findOne({ _id: accountId }, options);
  if (account === null) throw accountNotFound(accountId);
  if (account.status === 'closed') throw accountClosed(accountId);
}
