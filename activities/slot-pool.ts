const RESERVED_PART = 1 / 4;

/**
 * Slots shared by accounts. An account may hold as many as are left free beside it, so that all give way when others
 * come, and nothing has to be known of any (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on
 * Networking 6(2), 1998). A part of the slots is kept for accounts that hold none.
 */
export interface SlotPool {
  /** Whether the account may take one more. */
  fits(accountId: string): boolean;
  /** How many the account could come to hold with the others as they are; at least 1. */
  share(accountId: string): number;
  /** Takes one without asking: the pool can come to hold more than its size. */
  add(accountId: string): void;
  remove(accountId: string): void;
  isEmpty(): boolean;
}

export function createSlotPool(size: number): SlotPool {
  const reserved = Math.floor(size * RESERVED_PART);
  const held = new Map<string, number>();
  let free = size;
  const of = (accountId: string) => held.get(accountId) ?? 0;
  return {
    fits: (accountId) => (held.has(accountId) ? of(accountId) < free - reserved : free > 0),
    share: (accountId) => Math.max(1, Math.ceil((of(accountId) + free - reserved) / 2)),
    add(accountId) {
      free -= 1;
      held.set(accountId, of(accountId) + 1);
    },
    remove(accountId) {
      free += 1;
      if (of(accountId) === 1) held.delete(accountId);
      else held.set(accountId, of(accountId) - 1);
    },
    isEmpty: () => held.size === 0,
  };
}
