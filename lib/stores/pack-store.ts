import type { PackRecord } from '../domain/records.ts';
import type { Reference } from '../domain/references.ts';

export interface PackRefund {
  pack: PackRecord;
  refunded: number;
  balance: number;
  repeated?: true;
}

export interface PackStore {
  /** References are unique among the packs of the account. @throws NotFound; Refused if the account is closed */
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
   * Refunds images of a pack (default: all that are left) and takes them off the balance. References are unique among
   * the pack refunds of the account.
   * @returns the pack, the number of images refunded, and the new balance
   * @throws NotFound; Refused if the pack or the balance has fewer images left
   */
  refund(packId: string, images?: number, reference?: Reference): Promise<PackRefund>;
  /** Whether the account has a pack that is not fully refunded, and so gets renders without a watermark. */
  hasPaid(accountId: string): Promise<boolean>;
  /** Those of the accounts for which {@link hasPaid} is true, in one query. */
  paidAmong(accountIds: readonly string[]): Promise<ReadonlySet<string>>;
}
