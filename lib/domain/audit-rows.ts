import { LIMITS } from '../contract/limits.ts';
import type { LedgerKind, LedgerRow } from './records.ts';

interface KindRule {
  /** The id of a row. If this ends in a colon, it is the beginning of the id. */
  id: (row: LedgerRow) => string;
  delta: { isRight: (delta: number) => boolean; expected: string };
}

const POSITIVE = { isRight: (delta: number) => delta > 0, expected: 'more than 0' };
const NEGATIVE = { isRight: (delta: number) => delta < 0, expected: 'less than 0' };
const FREE_IMAGES = {
  isRight: (delta: number) => delta === LIMITS.freeImages,
  expected: String(LIMITS.freeImages),
};

/** Rows are found by these ids, which also keep a cause from being posted twice. */
const KINDS: Readonly<Record<LedgerKind, KindRule>> = {
  charge: { id: ({ jobId }) => `charge:${jobId}`, delta: NEGATIVE },
  refund: { id: ({ jobId }) => `refund:${jobId}`, delta: POSITIVE },
  void: { id: ({ jobId }) => `void:${jobId}`, delta: POSITIVE },
  pack: { id: ({ packId }) => `pack:${packId}`, delta: POSITIVE },
  'pack-refund': { id: ({ packId }) => `pack-refund:${packId}:`, delta: NEGATIVE },
  grant: { id: ({ accountId }) => grantId(accountId), delta: FREE_IMAGES },
  credit: { id: () => 'credit:', delta: POSITIVE },
  forfeit: { id: () => 'forfeit:', delta: NEGATIVE },
};

/** The id of the row that grants an account its free images. */
export const grantId = (accountId: string) => `grant:free50:${accountId}`;

/**
 * Returns a function that checks the rows of an account, one call per row, in order. After a breach
 * it continues from the row's own values, so that one wrong row is reported once and not again with
 * every later row.
 */
export function createRowAudit(): (row: LedgerRow) => string[] {
  let previous = { seq: 0, balance: 0 };
  return (row) => {
    const seq = previous.seq + 1;
    const sum = previous.balance + row.delta;
    previous = { seq: row.seq, balance: row.balanceAfter };
    const breaches: string[] = [];
    if (row.seq !== seq) breaches.push(`row ${row.id} has number ${row.seq}, expected ${seq}`);
    if (row.balanceAfter !== sum)
      breaches.push(`row ${row.id} has the balance ${row.balanceAfter}, expected ${sum}`);
    if (row.balanceAfter < 0) breaches.push(`row ${row.id} has a negative balance of ${row.balanceAfter}`);
    return [...breaches, ...auditKind(row)];
  };
}

function auditKind(row: LedgerRow): string[] {
  // Somebody who changes the database by hand is not bound by the types.
  const rule: KindRule | undefined = KINDS[row.kind];
  if (rule === undefined) return [`row ${row.id} is of the unknown kind ${row.kind}`];
  const breaches: string[] = [];
  const id = rule.id(row);
  if (row.id !== id && !(id.endsWith(':') && row.id.startsWith(id)))
    breaches.push(`row ${row.id} of the kind ${row.kind} has another id than ${id}`);
  if (!rule.delta.isRight(row.delta))
    breaches.push(`row ${row.id} has the delta ${row.delta}, expected ${rule.delta.expected}`);
  return breaches;
}
