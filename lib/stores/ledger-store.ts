import type { LedgerRow } from '../domain/records.ts';
import type { Reference } from '../domain/references.ts';

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
   * Adds images to a balance that were not bought. References are unique among the credits of the account.
   * @returns the id of the row and the new balance
   * @throws NotFound; Refused if the account is closed
   */
  credit(credit: {
    accountId: string;
    images: number;
    reason: string;
    reference?: Reference;
  }): Promise<{ id: string; balance: number; repeated?: true }>;
  /**
   * Checks the ledger of an account against its jobs, packs and idempotency keys; without an account, that of all, and
   * {@link auditOrphans}. Reads page by page; the service may be running.
   * @param onPage called after each page; its error ends the audit
   * @returns a sentence for each breach; empty if there is none. Of an account it stops after a thousand
   */
  audit(accountId?: string, onPage?: () => void): Promise<string[]>;
  /** Checks that the owner of every record exists. @returns as {@link audit} */
  auditOrphans(onPage?: () => void): Promise<string[]>;
  /** Keeps the outcome of an audit of all accounts, in place of the one before. */
  recordAudit(outcome: AuditOutcome): Promise<void>;
  /** Before the first one: no breaches, at the time when the oldest account was created. */
  lastAudit(): Promise<AuditOutcome>;
}

export interface AuditOutcome {
  at: Date;
  /** Number of breaches. */
  breaches: number;
}
