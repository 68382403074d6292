const RESERVED_SHARE = 1 / 4;

/**
 * Slots shared by accounts. An account may hold as many slots as are free, so its share shrinks as other accounts
 * arrive, without any configuration (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2),
 * 1998). Some slots are reserved for accounts that hold none.
 */
export interface SlotPool {
  fits(accountId: string): boolean;
  /** How many slots the account could hold, given what the others hold; at least 1. */
  share(accountId: string): number;
  /** Takes a slot without checking {@link fits}, so the pool may exceed its size. */
  add(accountId: string): void;
  remove(accountId: string): void;
  isEmpty(): boolean;
}

export function createSlotPool(size: number): SlotPool {
  const reserved = Math.floor(size * RESERVED_SHARE);
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
