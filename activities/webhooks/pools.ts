import type { AccountReceiver, ReceiverPace } from './receiver-pace.ts';

/** Shares of the slots: for slow receivers, for slow and unknown ones together, and for any one receiver. */
const SLOW_SHARE = 1 / 2;
const UNPROVEN_SHARE = 3 / 4;
const RECEIVER_SHARE = 1 / 2;
/** Egress opens at most 50 connections per origin; a further delivery would wait for one during its attempt. */
const RECEIVER_MAX = 50;

/** Of the slots of each pool, for accounts that hold none. */
const RESERVED_SHARE = 1 / 4;

type Standing = ReceiverPace['standing'];

/** The slots that a delivery in progress holds. */
export interface Place {
  /** Counts it as slow from now on, even if that exceeds the share of slow receivers. */
  slowDown(): void;
  leave(): void;
}

/**
 * Slots shared by accounts. An account may hold as many slots as are free, so its share shrinks as other accounts
 * arrive, without any configuration (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2),
 * 1998). Some slots are reserved for accounts that hold none.
 */
interface SlotPool {
  fits(accountId: string): boolean;
  /** How many slots the account could hold, given what the others hold; at least 1. */
  share(accountId: string): number;
  /** Takes a slot without checking {@link fits}, so the pool may exceed its size. */
  add(accountId: string): void;
  remove(accountId: string): void;
  isEmpty(): boolean;
}

/** Divides the slots of one worker, so that slow receivers can never take all of them. */
export function createWebhookPools(slots: number) {
  const sizeOf = (share: number) => Math.max(1, Math.floor(slots * share));
  const all = createSlotPool(slots);
  const unproven = createSlotPool(sizeOf(UNPROVEN_SHARE));
  const slow = createSlotPool(sizeOf(SLOW_SHARE));
  const shared = { quick: [all], unknown: [all, unproven], slow: [all, unproven, slow] };
  const receivers = new Map<string, SlotPool>();
  const ofReceiver = (receiver: string) =>
    receivers.get(receiver) ?? createSlotPool(Math.min(RECEIVER_MAX, sizeOf(RECEIVER_SHARE)));
  const poolsOf = (standing: Standing, receiver: string) => [...shared[standing], ofReceiver(receiver)];

  return {
    /** Takes a place; undefined when one of the pools has no slot left for the account. */
    enter(standing: Standing, { accountId, receiver }: AccountReceiver): Place | undefined {
      const receiverPool = ofReceiver(receiver);
      const held = [...shared[standing], receiverPool];
      if (!held.every((pool) => pool.fits(accountId))) return undefined;
      for (const pool of held) pool.add(accountId);
      receivers.set(receiver, receiverPool);
      return {
        slowDown() {
          const added = shared.slow.filter((pool) => !held.includes(pool));
          for (const pool of added) pool.add(accountId);
          held.push(...added);
        },
        leave() {
          for (const pool of held) pool.remove(accountId);
          if (receiverPool.isEmpty()) receivers.delete(receiver);
        },
      };
    },

    /** How many such deliveries the account could have in progress, given the current load. */
    share: (standing: Standing, { accountId, receiver }: AccountReceiver): number =>
      Math.min(...poolsOf(standing, receiver).map((pool) => pool.share(accountId))),
  };
}

function createSlotPool(size: number): SlotPool {
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
