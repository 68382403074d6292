import { cancellationSignal, heartbeat, log } from '@temporalio/activity';
import type { Stores } from '../../lib/stores/stores.ts';
import { idOfItem, processItems } from './page.ts';

/** The most breaches of one account that are logged. */
const LOGGED = 20;

/** What the audit of the earlier accounts has found, and the last of these accounts. */
interface Cursor {
  breaches: number;
  failed: number;
  account?: string;
}
const START: Cursor = { breaches: 0, failed: 0 };

/**
 * Audits a page of the accounts. The outcome is recorded after the last page, if every account
 * could be audited. If not, the metrics show that the last audit is old.
 */
export async function auditLedgers(
  { accounts, ledger }: Pick<Stores, 'accounts' | 'ledger'>,
  limit: number,
  after: string,
) {
  const start: Cursor = after === '' ? START : (JSON.parse(after) as Cursor);
  const page = await accounts.list(limit, start.account);
  let { breaches } = start;
  const { processed, failed, problems } = await processItems(page, 1, idOfItem, async ({ id }) => {
    breaches += report(await ledger.audit(id, stopIfCancelled));
  });
  cancellationSignal().throwIfAborted();
  const total = { breaches, failed: start.failed + failed };
  const isLast = processed === page.length && page.length < limit;
  const account = page[processed - 1]?.id ?? start.account;
  if (isLast && total.failed === 0) {
    breaches += report(await ledger.auditOrphans(stopIfCancelled));
    await ledger.recordAudit({ at: new Date(), breaches });
  }
  return { next: isLast ? null : JSON.stringify({ ...total, account }), counts: { failed }, problems };
}

/** Called after each page of a ledger: an account may have millions of rows. */
function stopIfCancelled(): void {
  cancellationSignal().throwIfAborted();
  heartbeat();
}

/** Logs breaches. The retention run does not fail because of them: it cannot repair a ledger. */
function report(breaches: readonly string[]): number {
  for (const breach of breaches.slice(0, LOGGED)) log.error('The books are not right.', { breach });
  return breaches.length;
}
