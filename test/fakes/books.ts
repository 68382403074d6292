import type { Answered } from '../../stores/answered.ts';
import type { Referenced } from '../../stores/mongo/references.ts';
import type { IdempotencyRow } from '../../stores/ports.ts';
import { NotFound, Refused } from '../../stores/ports.ts';
import type {
  AccountRecord,
  DeliveryRecord,
  JobRecord,
  KeyRecord,
  LedgerRow,
  ObjectRef,
  PackRecord,
} from '../../stores/records.ts';
import { type Asked, expectSame } from '../../stores/reference.ts';

/** Every record in memory. What a store hands out is a copy, as it would be from a database. */
export interface Books {
  accounts: Map<string, AccountRecord>;
  keys: Map<string, KeyRecord & { digest: string }>;
  jobs: Map<string, JobRecord>;
  /** By job. */
  answered: Map<string, Answered>;
  voided: Map<string, { unpaid: boolean }>;
  /** By {@link idempotencyId}. */
  idempotency: Map<string, IdempotencyRow>;
  /** By the id of the row, in the order of posting. */
  ledger: Map<string, LedgerRow>;
  packs: Map<string, PackRecord>;
  deliveries: Map<string, DeliveryRecord>;
  /** Objects owed to the image store's removal. */
  removals: Map<string, ObjectRef>;
  /** Workflows owed to Temporal's removal. */
  histories: Set<string>;
  /** By command, account and reference: what was asked, and what it came to. */
  references: Map<string, { asked: Asked; result: object }>;
  apiEnabled: boolean;
}

export function emptyBooks(): Books {
  return {
    accounts: new Map(),
    keys: new Map(),
    jobs: new Map(),
    answered: new Map(),
    voided: new Map(),
    idempotency: new Map(),
    ledger: new Map(),
    packs: new Map(),
    deliveries: new Map(),
    removals: new Map(),
    histories: new Set(),
    references: new Map(),
    apiEnabled: true,
  };
}

export const idempotencyId = (keyId: string, key: string) => JSON.stringify([keyId, key]);

/** Copies what matches, in the order it was stored. */
export function copies<T extends { accountId: string }>(records: Iterable<T>, accountId: string): T[] {
  return [...records]
    .filter((record) => record.accountId === accountId)
    .map((record) => structuredClone(record));
}

/** @throws NotFound */
export function known<T>(records: Map<string, T>, what: string, id: string): T {
  const record = records.get(id);
  if (record === undefined) throw new NotFound(`There is no ${what} ${id}.`);
  return record;
}

/** See `once` of the MongoDB adapter. */
export function once<T extends object>(
  { references }: Books,
  { command, accountId, reference, asked }: Referenced,
  work: () => T,
): T & { repeated?: true } {
  if (reference === null || reference === undefined) return work();
  const id = JSON.stringify([command, accountId, reference]);
  const first = references.get(id);
  if (first !== undefined) {
    expectSame(reference, first.asked, asked);
    return { ...structuredClone(first.result as T), repeated: true };
  }
  const result = work();
  references.set(id, { asked, result: structuredClone(result) });
  return result;
}

type Posting = Pick<LedgerRow, 'id' | 'accountId' | 'kind' | 'delta'> &
  Partial<Pick<LedgerRow, 'jobId' | 'packId'>>;

/**
 * Moves the balance and writes the row; nothing happens when it is refused.
 * @returns the balance after
 */
export function post(books: Books, posting: Posting): number {
  const account = known(books.accounts, 'account', posting.accountId);
  if (books.ledger.has(posting.id)) throw new Error(`${posting.id} is posted already.`);
  if (account.balance + posting.delta < 0)
    throw new Refused(`The balance of account ${account.id} has fewer than ${-posting.delta} images left.`);
  account.balance += posting.delta;
  account.seq += 1;
  books.ledger.set(posting.id, {
    jobId: null,
    packId: null,
    ...posting,
    seq: account.seq,
    balanceAfter: account.balance,
    at: new Date(),
  });
  return account.balance;
}
