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
  /** Checks the ledger. @returns a sentence for each breach; empty if there is none */
  audit(accountId?: string): Promise<string[]>;
}
