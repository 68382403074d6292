import type { FailureReason, JobStatus, Warning } from '../contract/schemas.ts';
import type { Scope } from '../contract/scopes.ts';
import type { EventType } from '../contract/webhook.ts';

/** The format an image is stored in; also the extension of its object key. */
export type ImageFormat = 'jpeg' | 'png' | 'webp';

/** An object in the S3 store. */
export interface ObjectRef {
  bucket: 'inputs' | 'results';
  key: string;
}

export interface AccountRecord {
  id: string;
  name: string;
  /** `closed` is final: no key works, and its jobs are deleted. */
  status: 'active' | 'disabled' | 'closed';
  /** Images left, the sum of the account's ledger. */
  balance: number;
  /** Number of the last ledger row. */
  seq: number;
  webhook: EndpointRecord;
  /**
   * Failed jobs that count (see countsTowardsLimit) or were cancelled by the client, in the hour
   * that starts at `since`.
   */
  failures?: { since: Date; jobs: number };
  createdAt: Date;
}

/** The account's webhook endpoint. Secrets are `whsec_` + base64 (Standard Webhooks). */
export interface EndpointRecord {
  url: string | null;
  secret: string;
  /**
   * The secret before the last rotation; deliveries are signed with it as well until
   * `previousUntil`.
   */
  previousSecret: string | null;
  previousUntil: Date | null;
  /** The valid secrets from before `previousSecret`, the latest first; absent if there is none. */
  olderSecrets?: { secret: string; until: Date }[];
  /** Why the endpoint was disabled; null while it is enabled. */
  disabledReason: string | null;
  /** The first failure since the last successful delivery to `url`; absent after a success. */
  failingSince?: Date;
  /** The number of cycles that failed since then, and when the last of them ended. */
  failedCycles?: { count: number; until: Date };
}

export interface KeyRecord {
  id: string;
  accountId: string;
  name: string;
  /** The first characters of the key, to identify it in a list. */
  hint: string;
  retentionDays: number | null;
  /** The scopes that the key is limited to; absent if it has no limit. */
  scopes?: readonly Scope[];
  createdAt: Date;
  revokedAt: Date | null;
}

/** An authenticated key with the data of its account, read in one look-up. */
export interface Caller {
  keyId: string;
  keyName: string;
  accountId: string;
  accountName: string;
  retentionDays: number | null;
  /** The scopes that the key is limited to; absent if it has no limit. */
  scopes?: readonly Scope[];
  /** The key was revoked or its account is disabled. */
  revoked: boolean;
}

export interface JobRecord {
  id: string;
  accountId: string;
  keyId: string;
  tool: string;
  status: JobStatus | 'deleted';
  imagesCharged: number;
  /** The options that took effect; ignored ones are not stored. */
  options: Record<string, string>;
  warnings: Warning[];
  webhookUrl: string | null;
  workflowId: string;
  inputs: ObjectRef[];
  results: ObjectRef[];
  error: string | null;
  /** Set on a failed job. */
  failureReason?: FailureReason;
  /** Null without one and once the job is deleted. */
  idempotencyKey: string | null;
  createdAt: Date;
  completedAt: Date | null;
  processingMs: number | null;
  /**
   * Set when the job ends: the generator that made the result, or was asked last; absent if none
   * was asked.
   */
  generator?: string;
  /** Set on a deleted job: when it was deleted, and its status before. */
  deleted?: { at: Date; was: 'completed' | 'failed' };
}

/** A validated request for a job, before it is charged. */
export interface JobDraft {
  jobId: string;
  accountId: string;
  keyId: string;
  idempotencyKey: string | null;
  /** Digest of the request body; equal for a replay of the same request. */
  bodyDigest: string;
  tool: string;
  imagesCharged: number;
  /** The options that took effect; ignored ones are not stored. */
  options: Record<string, string>;
  warnings: Warning[];
  webhookUrl: string | null;
  workflowId: string;
  input: ObjectRef;
}

export type LedgerKind =
  | 'charge'
  | 'refund'
  | 'void'
  | 'pack'
  | 'pack-refund'
  | 'grant'
  /** Images given by an operator. Not bought, so they do not remove the watermark. */
  | 'credit'
  /** Images left when the account was closed, or refunded to it afterwards. */
  | 'forfeit';

export interface LedgerRow {
  /** Derived from the cause, for instance `charge:<job id>`, so that each cause is posted once. */
  id: string;
  accountId: string;
  kind: LedgerKind;
  seq: number;
  delta: number;
  balanceAfter: number;
  jobId: string | null;
  packId: string | null;
  /** Why an operator posted it; only on a `credit`. */
  reason?: string;
  at: Date;
}

export interface PackRecord {
  id: string;
  accountId: string;
  images: number;
  /** Images refunded so far. */
  refunded: number;
  /** Number of refunds so far; numbers their ledger rows. */
  refunds: number;
  reference: string | null;
  createdAt: Date;
}

/**
 * One event for one destination. The payload is built from the job at each attempt and not stored.
 */
export interface DeliveryRecord {
  /** Sent as `webhook-id`, the same in every attempt. */
  id: string;
  accountId: string;
  /** Null for a test event. */
  jobId: string | null;
  type: EventType;
  /**
   * `account`: the account's endpoint at the time of the attempt; `job`: the job's own webhook_url.
   */
  target: 'account' | 'job';
  /**
   * URL of the last attempt, or of the first attempt if there was none yet; null once the job is
   * deleted.
   */
  url: string | null;
  state: 'pending' | 'delivered' | 'failed' | 'cancelled';
  /** Why it failed or was cancelled, as a sentence. */
  reason: string | null;
  /**
   * Id of the current series of attempts. A redelivery starts a new cycle, which ends the previous
   * one.
   */
  cycle: string;
  /** Number of attempts in this cycle. */
  tries: number;
  /** The latest attempts of all cycles, the oldest first. */
  attempts: DeliveryAttempt[];
  nextAttemptAt: Date | null;
  createdAt: Date;
}

/** One request to the receiver, with its outcome. */
export interface DeliveryAttempt {
  at: Date;
  url: string | null;
  /** HTTP status of the response; null if there was none. */
  status: number | null;
  /** Milliseconds until the response headers or the error; null while unknown. */
  ms: number | null;
  error: string | null;
  /** The first 1,024 bytes of the response body. */
  responseBody: string | null;
}

/** Outcome of an acceptance. Only `accepted` has charged the account, once per job id. */
export type Acceptance =
  | { outcome: 'accepted'; jobId: string; bodyDigest: string }
  /** The idempotency key already belongs to another job. */
  | { outcome: 'existing'; jobId: string; bodyDigest: string }
  /**
   * For this outcome and the next two, a tombstone fences the job id: the job can never be
   * accepted.
   */
  | { outcome: 'insufficient_credits'; jobId: string }
  /** There was a tombstone already, for instance because the request was answered 5xx. */
  | { outcome: 'voided'; jobId: string }
  /** The acceptance started too late. Only the worker decides this, not a store. */
  | { outcome: 'unavailable'; jobId: string };

/** How a render failed. Histories of workflows contain it, so its fields keep their names. */
export interface JobFailure {
  /** Shown to the client. */
  error: string;
  /** The same for programs. */
  failureReason: FailureReason;
  processingMs: number | null;
  /** The generator that was asked last. */
  generator?: string;
  /**
   * The input cannot be rendered, as opposed to a failure of the service. See countsTowardsLimit
   * for what follows.
   */
  clientFault?: boolean;
}
