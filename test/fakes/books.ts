import { type CommandArguments, expectSame } from '../../lib/domain/commands.ts';
import { NotFound, Refused } from '../../lib/domain/errors.ts';
import type { StoredCall } from '../../lib/domain/generator-call.ts';
import type { JobRequests } from '../../lib/domain/job-requests.ts';
import type {
  AccountRecord,
  DeliveryRecord,
  JobRecord,
  KeyRecord,
  LedgerRow,
  ObjectRef,
  PackRecord,
} from '../../lib/domain/records.ts';
import { createJobListeners, type JobListeners } from '../../lib/stores/job-feed.ts';
import type { IdempotencyRow } from '../../lib/stores/job-store.ts';
import type { AuditOutcome } from '../../lib/stores/ledger-store.ts';
import type { Referenced } from '../../lib/stores/mongo/references.ts';
import type { HoldReason } from '../../lib/stores/stores.ts';

/** All records in memory. The stores return copies, as a database would. */
export interface Books {
  accounts: Map<string, AccountRecord>;
  keys: Map<string, KeyRecord & { digest: string }>;
  jobs: Map<string, JobRecord>;
  /** By job id. */
  requests: Map<string, JobRequests>;
  voided: Map<string, { overdrawn: boolean }>;
  /** Calls to upstreams by job id, those of voided jobs too. */
  calls: Map<string, StoredCall[]>;
  /** Ids of jobs that a local generator renders. */
  localRenders: Set<string>;
  /** By {@link idempotencyId}. */
  idempotency: Map<string, IdempotencyRow>;
  /** By the id of the row, in the order of posting. */
  ledger: Map<string, LedgerRow>;
  packs: Map<string, PackRecord>;
  deliveries: Map<string, DeliveryRecord>;
  /** Objects queued for removal from the image store, by bucket and key. */
  removals: Map<string, ObjectRef & { since: Date }>;
  /** By bucket and key. */
  orphans: Map<string, ObjectRef & { since: Date; confirmed: boolean }>;
  /** Workflows queued for deletion in Temporal. */
  histories: Set<string>;
  /** By command, account and reference: arguments and result. */
  references: Map<string, { asked: CommandArguments; result: object }>;
  apiEnabled: boolean;
  disabledTools: Set<string>;
  installation: string | undefined;
  removalsHeld: Set<HoldReason>;
  lastAudit?: AuditOutcome;
  /** Those who wait for jobs to end. */
  listeners: JobListeners;
}

export function emptyBooks(): Books {
  return {
    accounts: new Map(),
    keys: new Map(),
    jobs: new Map(),
    requests: new Map(),
    voided: new Map(),
    calls: new Map(),
    localRenders: new Set(),
    idempotency: new Map(),
    ledger: new Map(),
    packs: new Map(),
    deliveries: new Map(),
    removals: new Map(),
    orphans: new Map(),
    histories: new Set(),
    references: new Map(),
    apiEnabled: true,
    disabledTools: new Set(),
    installation: undefined,
    removalsHeld: new Set(),
    listeners: createJobListeners(),
  };
}

export const idempotencyId = (keyId: string, key: string) => JSON.stringify([keyId, key]);

/** Copies of the records of an account, in insertion order. */
export function copies<T extends { accountId: string }>(records: Iterable<T>, accountId: string): T[] {
  return [...records]
    .filter((record) => record.accountId === accountId)
    .map((record) => structuredClone(record));
}

/** A page of the records, the newest first. @throws NotFound if there is no record `after` */
export function newestFirst<T extends { id: string }>(
  records: readonly T[],
  limit: number,
  after?: string,
): T[] {
  const newest = [...records].reverse();
  const last = newest.findIndex(({ id }) => id === after);
  if (after !== undefined && last < 0) throw new NotFound(`There is no ${after} to continue after.`);
  return structuredClone(newest.slice(last + 1).slice(0, limit));
}

/** @throws NotFound; Refused if the account is closed */
export function getOpenAccount({ accounts }: Books, accountId: string): AccountRecord {
  const account = getOrThrow(accounts, 'account', accountId);
  if (account.status === 'closed') throw new Refused(`Account ${accountId} is closed for good.`);
  return account;
}

/** @throws NotFound */
export function getOrThrow<T>(records: Map<string, T>, what: string, id: string): T {
  const record = records.get(id);
  if (record === undefined) throw new NotFound(`There is no ${what} ${id}.`);
  return record;
}

/** See `runReferenced` of the MongoDB adapter. */
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
  Partial<Pick<LedgerRow, 'jobId' | 'packId' | 'reason'>>;

/**
 * Changes the balance and adds the row.
 * @returns the new balance
 * @throws Refused if the balance would be negative
 */
export function post(books: Books, posting: Posting): number {
  const account = getOrThrow(books.accounts, 'account', posting.accountId);
  if (books.ledger.has(posting.id)) throw new Error(`${posting.id} is already posted.`);
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
