import type { Scope } from '../contract/scopes.ts';
import type { Caller, KeyRecord } from '../domain/records.ts';
import type { Reference } from '../domain/references.ts';

export interface KeyStore {
  /**
   * Stores a key by its digest. The first key of an account grants the free images in the same transaction.
   * References are unique among the keys of the account; a repeated call does not store its digest.
   * @throws NotFound; Refused if the account is closed
   * @returns the key and the images granted (0 or 50)
   */
  create(key: {
    accountId: string;
    name: string;
    digest: string;
    hint: string;
    retentionDays: number | null;
    /** What the key is limited to; omitted for a key that is not. */
    scopes?: readonly Scope[];
    reference?: Reference;
  }): Promise<{ key: KeyRecord; granted: number; repeated?: true }>;
  findCaller(digest: string): Promise<Caller | undefined>;
  /** Whether the key no longer authenticates: as the `revoked` of its caller, or because there is none. */
  isRevoked(keyId: string): Promise<boolean>;
  list(accountId: string): Promise<KeyRecord[]>;
  revoke(keyId: string): Promise<KeyRecord>;
  setRetention(keyId: string, days: number | null): Promise<KeyRecord>;
  /** Limits the key to these scopes, from its next request on; null lifts the limit. @throws NotFound */
  setScopes(keyId: string, scopes: readonly Scope[] | null): Promise<KeyRecord>;
}
