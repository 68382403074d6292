import { internalError } from '../../lib/contract/api-errors.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import type { AccountRecord, EndpointRecord } from '../../lib/domain/records.ts';
import { type Egress, EgressError } from '../../lib/egress/egress.ts';
import type { AccountStore, WebhookChange } from '../../lib/stores/account-store.ts';

/**
 * @param field the name of the URL's field
 * @returns the URL as it is called
 * @throws ApiError webhook_url_rejected unless it is a public https URL
 */
export async function checkWebhookUrl(
  egress: Pick<Egress, 'check'>,
  field: string,
  url: string | null,
): Promise<string | null> {
  if (url === null) return null;
  try {
    return await egress.check(url);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new ApiError('webhook_url_rejected', `${field}: ${error.message}`, { cause: error });
  }
}

/** A request that takes longer has probably been given up, and repeated. */
const CHANGE_WITHIN_MS = 5000;

/**
 * Changes the endpoint only as it was read. So a change that reaches MongoDB late, after its
 * request has failed, cannot undo a later change that was answered. Concurrent changes are applied
 * one after another.
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
