import { internalError } from '../../lib/contract/api-errors.ts';
import type { AccountRecord, EndpointRecord } from '../../lib/domain/records.ts';
import type { AccountStore, WebhookChange } from '../../lib/stores/account-store.ts';

/** A request that takes longer has probably been given up, and repeated. */
const CHANGE_WITHIN_MS = 5000;

/**
 * Changes the endpoint as it was read, so that a change that MongoDB gets late, after its request has failed, does not
 * undo one that was answered. Changes at the same moment follow each other.
 * @throws ApiError internal_error when others keep changing it for 5 s
 */
export async function changeEndpoint(
  accounts: Pick<AccountStore, 'get' | 'changeWebhook'>,
  accountId: string,
  changeOf: (endpoint: EndpointRecord) => WebhookChange,
): Promise<AccountRecord> {
  const start = performance.now();
  do {
    const { webhook } = await accounts.get(accountId);
    const changed = await accounts.changeWebhook(accountId, webhook, changeOf(webhook));
    if (changed !== undefined) return changed;
  } while (performance.now() - start < CHANGE_WITHIN_MS);
  throw internalError();
}
