import type { Collection, Db } from 'mongodb';
import type { AccountRecord, JobRecord, KeyRecord, LedgerRow, PackRecord } from '../records.ts';

/** A record as it lies in MongoDB: its id is the `_id`. */
export type Stored<T extends { id: string }> = Omit<T, 'id'> & { _id: string };

export interface AccountDocument extends Stored<AccountRecord> {
  /** Keys ever created; the first one grants the free images. */
  keysIssued: number;
}

export interface KeyDocument extends Stored<KeyRecord> {
  digest: string;
  /** Copied from the account, so that a caller is known after one look-up. */
  accountName: string;
  accountDisabled: boolean;
}

export interface JobDocument extends Stored<JobRecord> {
  /** Set once a client was told of the job other than by its acceptance; such a job can't be voided. */
  answered?: boolean;
}

/** What is left of a voided job: it keeps an acceptance still under way from charging. */
export interface VoidDocument {
  _id: string;
  status: 'voided';
  voidedAt: Date;
}

export interface IdempotencyDocument {
  /** The job id: one job has at most one key. */
  _id: string;
  keyId: string;
  key: string;
  bodyDigest: string;
  createdAt: Date;
}

export interface SettingDocument {
  _id: string;
  value: unknown;
}

/** The collections, typed, in one place. */
export function collections(db: Db) {
  return {
    accounts: db.collection<AccountDocument>('accounts'),
    keys: db.collection<KeyDocument>('keys'),
    jobs: db.collection<JobDocument>('jobs'),
    voids: db.collection<VoidDocument>('jobs'),
    idempotency: db.collection<IdempotencyDocument>('idempotency'),
    ledger: db.collection<Stored<LedgerRow>>('ledger'),
    packs: db.collection<Stored<PackRecord>>('packs'),
    settings: db.collection<SettingDocument>('settings'),
  };
}
export type Collections = ReturnType<typeof collections>;

export function toRecord<T extends { _id: string }>({ _id, ...rest }: T): Omit<T, '_id'> & { id: string } {
  return { id: _id, ...rest };
}

/** Makes the indexes; safe to repeat and to run beside a working service. */
export async function createIndexes(db: Db): Promise<void> {
  const c = collections(db);
  await index(c.keys, { digest: 1 }, { unique: true });
  await index(c.keys, { accountId: 1, createdAt: 1 });
  await index(c.jobs, { accountId: 1, createdAt: -1 });
  await index(c.jobs, { accountId: 1, status: 1, completedAt: 1 });
  await index(c.voids, { voidedAt: 1 }, { expireAfterSeconds: 7 * 24 * 3600 });
  await index(c.idempotency, { keyId: 1, key: 1 }, { unique: true });
  await index(c.ledger, { accountId: 1, seq: 1 }, { unique: true });
  await index(c.packs, { accountId: 1 });
}

async function index<T extends { _id: string }>(
  collection: Collection<T>,
  keys: Record<string, 1 | -1>,
  options: { unique?: true; expireAfterSeconds?: number } = {},
): Promise<void> {
  await collection.createIndex(keys, options);
}
