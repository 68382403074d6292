import type { CommandReference } from '../domain/commands.ts';
import type { LedgerRow, PackRecord } from '../domain/records.ts';

export interface LedgerStore {
  /** Rows of an account, ordered by `seq`. */
  list(accountId: string): Promise<LedgerRow[]>;
  /**
   * The newest first.
   * @param after id of the last row of the page before
   * @throws NotFound if the account has no row `after`
   */
  page(accountId: string, after: string | undefined, limit: number): Promise<LedgerRow[]>;
  /**
   * Adds images to a balance that were not bought. References are unique among the credits of the
   * account.
   * @returns the id of the row and the new balance
   * @throws NotFound; Refused if the account is closed
   */
  credit(credit: {
    accountId: string;
    images: number;
    reason: string;
    reference?: CommandReference;
  }): Promise<{ id: string; balance: number; repeated?: true }>;
  /**
   * Checks the ledger of an account against its jobs, packs and idempotency keys; without an
   * account, that of all, and {@link auditOrphans}. Reads page by page; the service may be running.
   * @param onPage called after each page; its error ends the audit
   * @returns a sentence for each breach; empty if there is none. It stops after a thousand breaches
   * of an account
   */
  audit(accountId?: string, onPage?: () => void): Promise<string[]>;
  /** Checks that the owner of every record exists. @returns as {@link audit} */
  auditOrphans(onPage?: () => void): Promise<string[]>;
  /** Keeps the outcome of an audit of all accounts, and replaces the previous outcome. */
  recordAudit(outcome: AuditOutcome): Promise<void>;
  /** Before the first audit: no breaches, at the time when the oldest account was created. */
  lastAudit(): Promise<AuditOutcome>;
}

export interface AuditOutcome {
  at: Date;
  /** Number of breaches. */
  breaches: number;
}

export interface PackRefund {
  pack: PackRecord;
  refunded: number;
  balance: number;
  repeated?: true;
}

export interface PackStore {
  /**
   * References are unique among the packs of the account.
   * @throws NotFound; Refused if the account is closed
   */
  add(pack: { accountId: string; images: number; reference: CommandReference }): Promise<{
    pack: PackRecord;
    balance: number;
    repeated?: true;
  }>;
  /** @throws NotFound */
  get(packId: string): Promise<PackRecord>;
  /** Oldest first. */
  list(accountId: string): Promise<PackRecord[]>;
  /**
   * Refunds images of a pack (default: all that are left) and takes them off the balance.
   * References are unique among the pack refunds of the account.
   * @returns the pack, the number of images refunded, and the new balance
   * @throws NotFound; Refused if the pack or the balance has fewer images left
   */
  refund(packId: string, images?: number, reference?: CommandReference): Promise<PackRefund>;
  /**
   * Whether the account has a pack that is not fully refunded, and so gets renders without a
   * watermark.
   */
  hasPaid(accountId: string): Promise<boolean>;
  /** The accounts for which {@link hasPaid} is true, in one query. */
  paidAmong(accountIds: readonly string[]): Promise<ReadonlySet<string>>;
}
