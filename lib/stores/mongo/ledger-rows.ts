import type { FindOptions } from 'mongodb';
import type { LedgerRow } from '../../domain/records.ts';
import { type Collections, toRecord } from './documents.ts';

/** A page of the rows of an account, ordered by number. */
export async function rowPage(
  { ledger }: Collections,
  accountId: string,
  { after = Number.NEGATIVE_INFINITY, limit }: { after: number | undefined; limit: number },
  options: FindOptions = {},
): Promise<LedgerRow[]> {
  const rows = ledger.find({ accountId, seq: { $gt: after } }, options).sort({ seq: 1 });
  return (await rows.limit(limit).toArray()).map(toRecord);
}
