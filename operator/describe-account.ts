import type { AccountRecord } from '../domain/records.ts';
import type { Deps } from './deps.ts';
import type { Fields } from './output.ts';

export async function describeAccount(deps: Deps, account: AccountRecord): Promise<Fields> {
  return {
    account_id: account.id,
    name: account.name,
    status: account.status,
    balance: account.balance,
    watermark: !(await deps.stores().packs.hasPaid(account.id)),
    webhook_url: account.webhook.url,
    webhook_disabled: account.webhook.disabledReason,
    created_at: account.createdAt,
  };
}
