import type { RemovalFailure } from './images.ts';
import type {
  AccountRecord,
  Caller,
  DeliveryAttempt,
  DeliveryRecord,
  JobDraft,
  JobRecord,
  KeyRecord,
  LedgerRow,
  ObjectRef,
  PackRecord,
} from './records.ts';

/** Thrown when an id an operator or activity names does not exist. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}

/** Thrown when a change would break a rule of the ledger; nothing was changed. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/**
 * The caller's own name for a command, which makes it safe to repeat: with the same reference it answers what it came to
 * the first time, marked as `repeated`, and does nothing. With other arguments it throws Refused.
 */
export type Reference = string | null;

export interface AccountStore {
  /** @param account with a reference unique among all accounts; repeated, it is the account as it stands */
  create(account: {
    name: string;
    webhookUrl: string | null;
    webhookSecret: string;
    reference?: Reference;
  }): Promise<AccountRecord>;
  /** @throws NotFound */
  get(accountId: string): Promise<AccountRecord>;
  /** Newest first. */
  list(limit: number): Promise<AccountRecord[]>;
  setStatus(accountId: string, status: AccountRecord['status']): Promise<void>;
  /**
   * Sets the endpoint (null for none), which also takes stopped deliveries up again, and replaces the secret; the
   * one replaced goes on signing until `previousUntil`. What is left out stays.
   * @throws NotFound
   */
  setWebhook(accountId: string, change: WebhookChange): Promise<AccountRecord>;
  /** Notes how the endpoint does. Nothing changes when `url` is no longer the account's endpoint. */
  noteEndpoint(accountId: string, url: string, health: EndpointHealth): Promise<void>;
}

export type EndpointHealth = 'well' | { failingSince: Date } | { disabledReason: string };

export interface WebhookChange {
  url?: string | null;
  rotateTo?: { secret: string; previousUntil: Date };
}

export interface KeyStore {
  /**
   * Stores a key by its digest. The first key of an account grants the free images, once, in the same transaction.
   * References are unique among the keys of the account; a repeated one stores no digest.
   * @returns the key and the images granted (0 or 50)
   */
  create(key: {
    accountId: string;
    name: string;
    digest: string;
    hint: string;
    retentionDays: number | null;
    reference?: Reference;
  }): Promise<{ key: KeyRecord; granted: number; repeated?: true }>;
  findCaller(digest: string): Promise<Caller | undefined>;
  list(accountId: string): Promise<KeyRecord[]>;
  revoke(keyId: string): Promise<KeyRecord>;
  setRetention(keyId: string, days: number | null): Promise<KeyRecord>;
}

/** What the acceptance transaction came to. Exactly `accepted` has charged, and only once for a job id. */
export type Acceptance =
  | { outcome: 'accepted'; jobId: string; bodyDigest: string }
  /** The idempotency key already belongs to another job; nothing was charged. */
  | { outcome: 'existing'; jobId: string; bodyDigest: string }
  | { outcome: 'insufficient_credits' }
  /** The job id is fenced by a tombstone; it can't be accepted any more. */
  | { outcome: 'voided'; jobId: string };

export interface IdempotencyRow {
  jobId: string;
  bodyDigest: string;
}

export interface JobStore {
  /** Charge, ledger row, job and idempotency row in one transaction. Idempotent by the job id. */
  accept(draft: JobDraft): Promise<Acceptance>;
  /**
   * Decides for good whether the job was accepted: the job as it stands, or undefined when there is none, and then a
   * tombstone keeps an acceptance still under way from charging. Idempotent.
   * @param unpaid the job was refused for the balance, and a repetition of its acceptance is to say so again
   */
  fence(jobId: string, unpaid?: boolean): Promise<JobRecord | undefined>;
  /**
   * Takes a request that ended in 5xx out of those which the job lives for, for good. With the last of them the
   * acceptance is undone: the charge is given back, job and idempotency row are gone, what was stored is enqueued for
   * removal, and the job id is fenced. Idempotent.
   * @param requestId the job id for the request that created the job, else what it called {@link markAnswered} with
   * @returns whether the job is undone. It is not when it was deleted, or another request is left
   */
  void(jobId: string, requestId: string): Promise<boolean>;
  /**
   * The job as it stands, for a request that is about to be answered with it. The job is kept until this request is
   * voided as well. Undefined when it was deleted.
   * @param requestId the service's own, unique for good; never what a client has sent
   * @returns `voided` when the job was undone, or never was: its idempotency key is unspent
   */
  markAnswered(jobId: string, requestId: string): Promise<JobRecord | 'voided' | undefined>;
  findByIdempotencyKey(keyId: string, key: string): Promise<IdempotencyRow | undefined>;
  /** A job of the account; undefined when it is unknown, another's or deleted. */
  find(accountId: string, jobId: string): Promise<JobRecord | undefined>;
  /** Any job by its id, deleted ones included; for the operator and the worker. */
  get(jobId: string): Promise<JobRecord | undefined>;
  list(accountId: string, limit: number): Promise<JobRecord[]>;
  /**
   * processing -> completed, with the delivery of its webhook, in one transaction. Idempotent: a job that has ended
   * stays as it is.
   * @throws NotFound when there is no such job, or it was voided
   */
  complete(jobId: string, end: { results: ObjectRef[]; processingMs: number }): Promise<EndedJob>;
  /**
   * processing -> failed, with the refund and the delivery of its webhook, in one transaction. See {@link complete}.
   * @param end with `clientFault` it is counted in the account's `failures`
   */
  fail(jobId: string, end: JobFailure): Promise<EndedJob>;
  /** How a job that has ended stands; undefined while it is processing. @throws NotFound as {@link complete} */
  ended(jobId: string): Promise<EndedJob | undefined>;
  /**
   * Marks ended jobs as deleted, keeps what billing needs of them, and owes their objects to `removals` and their
   * workflows to `histories`, all in one transaction. Jobs that are processing, deleted or unknown are passed over.
   * @returns the jobs this call deleted
   */
  remove(jobIds: readonly string[]): Promise<DeletedJob[]>;
  /** Takes the inputs off failed jobs, which stay readable, and owes them to `removals`. @returns how many jobs */
  dropInputs(jobIds: readonly string[]): Promise<number>;
}

export interface JobFailure {
  /** For the client. */
  error: string;
  processingMs: number | null;
  /** Whether it is what was sent that cannot be rendered, and not the service that failed. */
  clientFault?: boolean;
}

/** A job as it stands at its end, and the delivery of its webhook, if there is anybody to notify. */
export interface EndedJob {
  job: JobRecord;
  delivery: DeliveryRecord | null;
}

export interface DeletedJob {
  id: string;
  /** What was stored for it. */
  objects: ObjectRef[];
}

/** Finds what the rules on deletion apply to; every look-up is served by an index and bounded by its limit. */
export interface RetentionStore {
  /** Keys that have `retention_days`, by id. */
  keys(after: string, limit: number): Promise<{ id: string; retentionDays: number }[]>;
  /** Ended jobs of a key, the oldest first, without those excepted. */
  expired(keyId: string, createdBefore: Date, limit: number, except?: readonly string[]): Promise<string[]>;
  /** Completed jobs of the account beyond its newest `keep`, the oldest first. */
  surplus(accountId: string, keep: number, limit: number): Promise<string[]>;
  /** Failed jobs that still have their input, without those excepted. */
  failedWithInput(createdBefore: Date, limit: number, except?: readonly string[]): Promise<string[]>;
  /** Jobs still processing, by id. */
  processing(
    createdBefore: Date,
    after: string,
    limit: number,
  ): Promise<{ id: string; workflowId: string }[]>;
  /** Those of the objects that belong to no job. */
  unowned(refs: readonly ObjectRef[]): Promise<ObjectRef[]>;
}

/** Objects that are to go from the image store; a row leaves once the object is known to be gone. */
export interface RemovalStore {
  /** Safe to repeat. */
  owe(refs: readonly ObjectRef[]): Promise<void>;
  /** Notes a try at `refs`: those that failed stay owed, or become so, with the reason. */
  settle(refs: readonly ObjectRef[], failures: readonly RemovalFailure[]): Promise<void>;
  /** One page in a fixed order; pass `next` as `after` for the following one. */
  pending(after: string, limit: number): Promise<{ refs: ObjectRef[]; next: string | null }>;
}

/** Workflows of deleted jobs, whose histories still hold what was sent with them. A row leaves with its history. */
export interface HistoryStore {
  /** Ids of workflows, a page at a time; pass `next` as `after` for the following one. */
  pending(after: string, limit: number): Promise<{ workflowIds: string[]; next: string | null }>;
  /** Notes that nothing is left of them. Safe to repeat. */
  settle(workflowIds: readonly string[]): Promise<void>;
}

export type NewDelivery = Pick<
  DeliveryRecord,
  'id' | 'accountId' | 'jobId' | 'type' | 'target' | 'url' | 'round'
>;

/** The delivery log of webhooks. Rows leave it 90 days after the event. */
export interface DeliveryStore {
  /**
   * Notes a delivery that is to be made; one that is there already stays as it is. That of a job which was deleted is
   * noted as cancelled, without its URL. @returns it as it stands
   */
  plan(delivery: NewDelivery): Promise<DeliveryRecord>;
  find(deliveryId: string): Promise<DeliveryRecord | undefined>;
  /** Newest first. */
  list(accountId: string, limit: number): Promise<DeliveryRecord[]>;
  /** Those not ended yet of events before a moment, by id. */
  pending(createdBefore: Date, after: string, limit: number): Promise<DeliveryRecord[]>;
  /** Makes a delivery pending again for a round of attempts of its own. Safe to repeat. @throws NotFound */
  reopen(deliveryId: string, round: string): Promise<DeliveryRecord>;
  /**
   * Notes an attempt before it is made, so that it shows even if the worker dies during it.
   * @returns the delivery with this attempt counted; undefined when it isn't pending or another round has it
   */
  begin(
    deliveryId: string,
    round: string,
    attempt: { at: Date; url: string },
  ): Promise<DeliveryRecord | undefined>;
  /** Notes what the attempt begun at `attempt.at` came to. A delivery that was cancelled meanwhile stays so. */
  record(deliveryId: string, round: string, attempt: DeliveryAttempt, after: AfterAttempt): Promise<void>;
  /** Ends a pending delivery of the round without an attempt. Safe to repeat. */
  close(deliveryId: string, round: string, end: DeliveryEnd): Promise<void>;
}

export type DeliveryEnd = { state: 'failed' | 'cancelled'; reason: string };

/** How a delivery stands after an attempt. */
export type AfterAttempt = { state: 'delivered' } | DeliveryEnd | { state: 'pending'; nextAttemptAt: Date };

export interface LedgerStore {
  /** Rows of an account in order of their sequence. */
  list(accountId: string): Promise<LedgerRow[]>;
  /** Every breach of the ledger's rules, as sentences; empty when the books are right. */
  audit(accountId?: string): Promise<string[]>;
}

export interface PackRefund {
  pack: PackRecord;
  refunded: number;
  balance: number;
  repeated?: true;
}

export interface PackStore {
  /** References are unique among the packs of the account. @throws NotFound */
  add(pack: { accountId: string; images: number; reference: Reference }): Promise<{
    pack: PackRecord;
    balance: number;
    repeated?: true;
  }>;
  /** @throws NotFound */
  get(packId: string): Promise<PackRecord>;
  /** Oldest first. */
  list(accountId: string): Promise<PackRecord[]>;
  /**
   * Takes images of a pack back off the balance: as many as told, else all that is left of the pack. References are
   * unique among the refunds of the account.
   * @returns the pack, the images of this refund, and the balance after it
   * @throws NotFound; Refused when the pack or the balance has fewer left
   */
  refund(packId: string, images?: number, reference?: Reference): Promise<PackRefund>;
  /** Whether the account holds a pack that is not fully refunded: its new renders carry no watermark. */
  hasPaid(accountId: string): Promise<boolean>;
}

export interface SettingsStore {
  apiEnabled(): Promise<boolean>;
  setApiEnabled(enabled: boolean): Promise<void>;
}

/** All records of the service. */
export interface Stores {
  accounts: AccountStore;
  deliveries: DeliveryStore;
  histories: HistoryStore;
  keys: KeyStore;
  jobs: JobStore;
  ledger: LedgerStore;
  packs: PackStore;
  removals: RemovalStore;
  retention: RetentionStore;
  settings: SettingsStore;
}
