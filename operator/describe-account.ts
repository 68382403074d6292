import type { AccountRecord } from '../lib/domain/records.ts';
import type { Deps } from './deps.ts';
import type { Fields } from './output.ts';

export async function describeAccount(deps: Deps, account: AccountRecord): Promise<Fields> {
  return fieldsOf(account, await deps.stores().packs.hasPaid(account.id));
}

/** A page of accounts with one query, in their order. */
export async function describeAccounts(deps: Deps, accounts: readonly AccountRecord[]) {
  const paid = await deps.stores().packs.paidAmong(accounts.map(({ id }) => id));
  return accounts.map((account) => ({ id: account.id, fields: fieldsOf(account, paid.has(account.id)) }));
}

const fieldsOf = (account: AccountRecord, hasPaid: boolean): Fields => ({
  account_id: account.id,
  name: account.name,
  status: account.status,
  balance: account.balance,
  watermark: !hasPaid,
  webhook_url: account.webhook.url,
  webhook_disabled: account.webhook.disabledReason,
  created_at: account.createdAt,
});
