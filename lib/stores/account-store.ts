import type { Scope } from '../contract/scopes.ts';
import type { CommandReference } from '../domain/commands.ts';
import type { AccountRecord, Caller, EndpointRecord, KeyRecord } from '../domain/records.ts';
import type { SecretRotation } from '../domain/webhook-secrets.ts';

export interface AccountStore {
  /**
   * @param account its reference is unique among all accounts; a repeated call returns the
   * account's current state
   */
  create(account: {
    name: string;
    webhookUrl: string | null;
    webhookSecret: string;
    reference?: CommandReference;
  }): Promise<AccountRecord>;
  /** @throws NotFound */
  get(accountId: string): Promise<AccountRecord>;
  /** Id of the account that was created with this reference. */
  findByReference(reference: string): Promise<string | undefined>;
  /**
   * Newest first.
   * @param after id of the last account of the page before;
   * @throws NotFound if it does not exist
   */
  list(limit: number, after?: string): Promise<AccountRecord[]>;
  /** Changes the name, also for the workflows of its future jobs. @throws NotFound */
  rename(accountId: string, name: string): Promise<AccountRecord>;
  /** @throws NotFound; Refused if the account is closed */
  setStatus(accountId: string, status: 'active' | 'disabled'): Promise<void>;
  /**
   * Closes the account for good: revokes its keys and removes its webhook endpoint. Its jobs are
   * not deleted yet. Idempotent.
   * @param forfeit the balance that the operator agreed to give up; another balance is an error
   * @returns the number of images forfeited
   * @throws NotFound; Refused while jobs are processing, or if the balance is not `forfeit`
   */
  close(accountId: string, forfeit: number): Promise<number>;
  /**
   * Sets the endpoint (null for none), which also enables it again, and rotates the secret; the
   * previous one remains valid until `previousUntil`. Omitted fields are unchanged.
   * @throws NotFound; Refused if the account is closed
   */
  setWebhook(accountId: string, change: WebhookChange): Promise<AccountRecord>;
  /**
   * As `setWebhook`, unless the endpoint has another URL or secret than `from`.
   * @returns undefined if it has
   */
  changeWebhook(
    accountId: string,
    from: Pick<EndpointRecord, 'url' | 'secret'>,
    change: WebhookChange,
  ): Promise<AccountRecord | undefined>;
  /**
   * Records the health of the endpoint. Does nothing if `url` is no longer the account's endpoint.
   */
  recordEndpointHealth(accountId: string, url: string, health: EndpointHealth): Promise<void>;
}

/**
 * `failedCycle`: counts a cycle in which every attempt failed. It does not count if the endpoint
 * was healthy or was set after the cycle began. Of several overlapping cycles it counts one.
 * `ifFailingSince`: does nothing if the endpoint was healthy or was set since then.
 */
export type EndpointHealth =
  | 'healthy'
  | { failingSince: Date }
  | { failedCycle: { from: Date; until: Date } }
  | { disabledReason: string; ifFailingSince?: Date };

export interface WebhookChange {
  url?: string | null;
  rotateTo?: SecretRotation;
}

export interface KeyStore {
  /**
   * Stores a key by its digest. The first key of an account grants the free images in the same
   * transaction. References are unique among the keys of the account; a repeated call does not
   * store its digest.
   * @throws NotFound; Refused if the account is closed
   * @returns the key and the images granted (0 or 50)
   */
  create(key: {
    accountId: string;
    name: string;
    digest: string;
    hint: string;
    retentionDays: number | null;
    /** The scopes that the key is limited to; omitted for a key without a limit. */
    scopes?: readonly Scope[];
    reference?: CommandReference;
  }): Promise<{ key: KeyRecord; granted: number; repeated?: true }>;
  findCaller(digest: string): Promise<Caller | undefined>;
  /**
   * Whether the key no longer authenticates: it is revoked, its account is disabled, or there is no
   * such key.
   */
  isRevoked(keyId: string): Promise<boolean>;
  list(accountId: string): Promise<KeyRecord[]>;
  revoke(keyId: string): Promise<KeyRecord>;
  setRetention(keyId: string, days: number | null): Promise<KeyRecord>;
  /**
   * Limits the key to these scopes, from its next request on; null lifts the limit.
   * @throws NotFound
   */
  setScopes(keyId: string, scopes: readonly Scope[] | null): Promise<KeyRecord>;
}
