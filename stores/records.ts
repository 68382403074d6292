import type { JobStatus, Warning } from '../contract/schemas.ts';

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
