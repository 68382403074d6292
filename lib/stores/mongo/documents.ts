import type { Db, IndexDescription } from 'mongodb';
import type { StoredCall } from '../../domain/generator-call.ts';
import type { JobRequests } from '../../domain/job-requests.ts';
import type {
  AccountRecord,
  DeliveryRecord,
  JobRecord,
  KeyRecord,
  LedgerRow,
  ObjectRef,
  PackRecord,
} from '../../domain/records.ts';
import type { Asked } from '../../domain/references.ts';

/** A record as stored in MongoDB, with its id as `_id`. */
export type Stored<T extends { id: string }> = Omit<T, 'id'> & { _id: string };

export interface AccountDocument extends Stored<AccountRecord> {
  /** Keys ever created; the first one grants the free images. */
  keysIssued: number;
}

export interface KeyDocument extends Stored<KeyRecord> {
  digest: string;
  /** Copied from the account, so that authentication takes one look-up. */
  accountName: string;
  accountDisabled: boolean;
}

export interface JobDocument extends Stored<JobRecord> {
  /** See {@link JobRequests}. Version 0.1.0 omitted it, or set it to `true` for a replayed job. */
  answered?: JobRequests['answered'] | true;
  withdrawn?: JobRequests['withdrawn'];
  /** The calls to upstreams; absent before the first one. */
  calls?: StoredCall[];
  /** A local generator has begun to render. */
  localRender?: true;
}

/** Tombstone of a voided job: a late acceptance fails on its id and charges nothing. */
export interface VoidDocument {
  _id: string;
  status: 'voided';
  voidedAt: Date;
  /** The job was refused with insufficient_credits; a repeated acceptance gets the same outcome. */
  unpaid?: boolean;
  /** Those of the job, if one of them was open. Its task can be cancelled. */
  calls?: StoredCall[];
}

export interface IdempotencyDocument {
  /** The job id: a job has at most one idempotency key. */
  _id: string;
  keyId: string;
  key: string;
  bodyDigest: string;
  createdAt: Date;
}

/** An object queued for removal from the image store. The id is `<bucket>/<key>`. */
export interface RemovalDocument extends ObjectRef {
  _id: string;
  since: Date;
  attempts: number;
  /** Why the last attempt failed. */
  reason: string | null;
}

/** See OrphanStore. The id is that of a {@link RemovalDocument}. */
export interface OrphanDocument extends ObjectRef {
  _id: string;
  since: Date;
  /** An operator has agreed to its removal. */
  confirmed?: true;
}

/** A workflow queued for deletion in Temporal, by its id. */
export interface HistoryDocument {
  _id: string;
  since: Date;
}

/** An operator's command with a reference. The id is `<command>:<account id>:<reference>`. */
export interface ReferenceDocument {
  _id: string;
  asked: Asked;
  /** The result of the command. */
  result: unknown;
  at: Date;
}

export interface SettingDocument {
  _id: string;
  value: unknown;
}

/** The typed collections. */
export function collections(db: Db) {
  return {
    accounts: db.collection<AccountDocument>('accounts'),
    keys: db.collection<KeyDocument>('keys'),
    jobs: db.collection<JobDocument>('jobs'),
    voids: db.collection<VoidDocument>('jobs'),
    idempotency: db.collection<IdempotencyDocument>('idempotency'),
    ledger: db.collection<Stored<LedgerRow>>('ledger'),
    packs: db.collection<Stored<PackRecord>>('packs'),
    deliveries: db.collection<Stored<DeliveryRecord>>('deliveries'),
    removals: db.collection<RemovalDocument>('removals'),
    orphans: db.collection<OrphanDocument>('orphans'),
    histories: db.collection<HistoryDocument>('histories'),
    references: db.collection<ReferenceDocument>('references'),
    settings: db.collection<SettingDocument>('settings'),
  };
}
export type Collections = ReturnType<typeof collections>;

/** Tombstones are in the collection of the jobs, without their fields. */
export const isTombstone = (job: JobDocument): boolean => job.accountId === undefined;

export function toJob(document: JobDocument): JobRecord {
  const { answered: _answered, withdrawn: _withdrawn, calls: _calls, localRender: _local, ...job } = document;
  return toRecord(job);
}

export function toRecord<T extends { _id: string }>({ _id, ...rest }: T): Omit<T, '_id'> & { id: string } {
  return { id: _id, ...rest };
}

/** Creates the indexes, with one command per collection. Idempotent; may run while the service is up. */
export async function createIndexes(db: Db): Promise<void> {
  const c = collections(db);
  await c.keys.createIndexes([
    { key: { digest: 1 }, unique: true },
    { key: { accountId: 1, createdAt: 1 } },
    { key: { _id: 1, retentionDays: 1 }, partialFilterExpression: { retentionDays: { $gte: 1 } } },
  ]);
  await c.accounts.createIndexes([
    { key: { createdAt: -1, _id: -1 } },
    { key: { status: 1 }, partialFilterExpression: { status: 'closed' } },
  ]);
  await c.jobs.createIndexes([
    { key: { accountId: 1, createdAt: -1, _id: -1 } },
    { key: { createdAt: -1, _id: -1 } },
    // The lists of clients leave deleted jobs out, of which an account may have any number: one scan for each status.
    { key: { accountId: 1, status: 1, createdAt: -1, _id: -1 } },
    { key: { accountId: 1, tool: 1, status: 1, createdAt: -1, _id: -1 } },
    { key: { accountId: 1, status: 1, completedAt: 1, _id: 1 } },
    // Only jobs that have an open call are in it.
    {
      key: { 'calls.outcome': 1, _id: 1 },
      partialFilterExpression: { 'calls.outcome': { $type: 'null' } },
    },
    ...RETENTION_INDEXES,
    // Tombstones go after 7 days.
    { key: { voidedAt: 1 }, expireAfterSeconds: 7 * 24 * 3600 },
  ]);
  await c.idempotency.createIndex({ keyId: 1, key: 1 }, { unique: true });
  await c.ledger.createIndex({ accountId: 1, seq: 1 }, { unique: true });
  await c.packs.createIndex({ accountId: 1, _id: 1 });
  await c.deliveries.createIndexes([
    { key: { accountId: 1, createdAt: -1, _id: -1 } },
    // Of an account whose receiver was down, nearly all may be in another state than the one asked for.
    { key: { accountId: 1, state: 1, createdAt: -1, _id: -1 } },
    {
      key: { accountId: 1, createdAt: -1 },
      name: 'tests',
      partialFilterExpression: { type: 'test.ping' },
    },
    { key: { state: 1, createdAt: -1, _id: -1 }, partialFilterExpression: { state: 'failed' } },
    { key: { createdAt: 1 }, expireAfterSeconds: 90 * 24 * 3600 },
    { key: { state: 1, _id: 1 }, partialFilterExpression: { state: 'pending' } },
    { key: { state: 1, createdAt: 1 }, partialFilterExpression: { state: 'pending' } },
  ]);
  await c.removals.createIndex({ since: 1 });
}

/** Indexes for RetentionStore. Its queries never scan deleted jobs, so their number does not matter. */
const RETENTION_INDEXES: IndexDescription[] = [
  { key: { keyId: 1, status: 1, createdAt: 1 } },
  { key: { 'inputs.bucket': 1, createdAt: 1 }, partialFilterExpression: { status: 'failed' } },
  { key: { status: 1, _id: 1 }, partialFilterExpression: { status: 'processing' } },
  { key: { status: 1, createdAt: 1 }, partialFilterExpression: { status: 'processing' } },
  { key: { 'inputs.key': 1 }, sparse: true },
  { key: { 'results.key': 1 }, sparse: true },
];
