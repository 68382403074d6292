import type { JobStatus, Warning } from '../contract/schemas.ts';
import type { EventType } from '../contract/webhook.ts';

/** Formats an image is stored in; also the extension of its object key. */
export type ImageFormat = 'jpeg' | 'png' | 'webp';

/** Where an object lies in the S3 store. */
export interface ObjectRef {
  bucket: 'inputs' | 'results';
  key: string;
}

export interface AccountRecord {
  id: string;
  name: string;
  status: 'active' | 'disabled';
  /** Images left, the sum of the account's ledger. */
  balance: number;
  /** Number of the last ledger row. */
  seq: number;
  webhook: WebhookEndpoint;
  /** Jobs that failed by what was sent, in the last hour that had any; `since` is when it began. */
  failures?: { since: Date; jobs: number };
  createdAt: Date;
}

/** Where and how the account is told of jobs that ended. Secrets are `whsec_` + base64 (Standard Webhooks). */
export interface WebhookEndpoint {
  url: string | null;
  secret: string;
  /** The secret before the last rotation, which signs as well until `previousUntil`. */
  previousSecret: string | null;
  previousUntil: Date | null;
  /** Why deliveries to `url` were stopped; null while it is in use. */
  disabledReason: string | null;
  /** Since when no delivery to `url` has succeeded; absent after a success. */
  failingSince?: Date;
}

export interface KeyRecord {
  id: string;
  accountId: string;
  name: string;
  /** First characters of the key, to tell keys apart in a list. */
  hint: string;
  retentionDays: number | null;
  createdAt: Date;
  revokedAt: Date | null;
}

/** A key with what the API has to know of its account, read in one look-up. */
export interface Caller {
  keyId: string;
  keyName: string;
  accountId: string;
  accountName: string;
  retentionDays: number | null;
  /** True when the key was revoked or its account is disabled. */
  revoked: boolean;
}

export interface JobRecord {
  id: string;
  accountId: string;
  keyId: string;
  tool: string;
  status: JobStatus | 'deleted';
  imagesCharged: number;
  /** The options that took effect; what else a client sent is not kept. */
  options: Record<string, string>;
  warnings: Warning[];
  webhookUrl: string | null;
  workflowId: string;
  inputs: ObjectRef[];
  results: ObjectRef[];
  error: string | null;
  createdAt: Date;
  completedAt: Date | null;
  processingMs: number | null;
  /** Set on a deleted job: when it went, and as what. */
  deleted?: { at: Date; was: 'completed' | 'failed' };
}

/** What one request asks for, complete and checked, before anything is charged. */
export interface JobDraft {
  jobId: string;
  accountId: string;
  keyId: string;
  idempotencyKey: string | null;
  /** Digest of the request body; two requests with one key are the same when it is equal. */
  bodyDigest: string;
  tool: string;
  imagesCharged: number;
  /** The options that took effect; what else a client sent is not kept. */
  options: Record<string, string>;
  warnings: Warning[];
  webhookUrl: string | null;
  workflowId: string;
  input: ObjectRef;
}

export type LedgerKind = 'charge' | 'refund' | 'void' | 'pack' | 'pack-refund' | 'grant';

export interface LedgerRow {
  /** Names the cause, for instance `charge:<job id>`, so that one cause can post only once. */
  id: string;
  accountId: string;
  kind: LedgerKind;
  seq: number;
  delta: number;
  balanceAfter: number;
  jobId: string | null;
  packId: string | null;
  at: Date;
}

export interface PackRecord {
  id: string;
  accountId: string;
  images: number;
  /** Images refunded so far. */
  refunded: number;
  /** Refunds so far; numbers their ledger rows. */
  refunds: number;
  reference: string | null;
  createdAt: Date;
}

/** One event on its way to one destination. What is sent is built from the job each time and never kept. */
export interface DeliveryRecord {
  /** Sent as `webhook-id`, the same in every attempt. */
  id: string;
  accountId: string;
  /** Null for a test event. */
  jobId: string | null;
  type: EventType;
  /** `account`: the account's endpoint as it stands at each attempt; `job`: the job's own webhook_url. */
  target: 'account' | 'job';
  /** Where the last attempt went, or the first will; null once the job is deleted. */
  url: string | null;
  state: 'pending' | 'delivered' | 'failed' | 'cancelled';
  /** Why it failed or was cancelled, for people. */
  reason: string | null;
  /** Names the workflow's go at it. A redelivery begins a round of its own, and the one before then stops. */
  round: string;
  /** Attempts of this round. */
  tries: number;
  /** The last attempts of all rounds, the oldest first. */
  attempts: DeliveryAttempt[];
  nextAttemptAt: Date | null;
  createdAt: Date;
}

/** One request to the receiver and what came of it. */
export interface DeliveryAttempt {
  at: Date;
  url: string | null;
  /** Status of the answer; null when there was none. */
  status: number | null;
  /** Milliseconds until the head of the answer, or until it went wrong; null while unknown. */
  ms: number | null;
  error: string | null;
  /** The first 1,024 bytes of the answer. */
  answer: string | null;
}
