import type { Db } from 'mongodb';
import type { CommandArguments } from '../../domain/commands.ts';
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

export interface JobDocument extends Stored<JobRecord>, JobRequests {
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
  overdrawn?: true;
  /** The calls of the job, if one of them was open: its task can be cancelled. */
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

/** See OrphanStore. It has the same id as a {@link RemovalDocument}. */
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
  asked: CommandArguments;
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
