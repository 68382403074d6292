import type { Destination, Pace } from './receiver-pace.ts';
import { createSlotPool, type SlotPool } from './slot-pool.ts';

/** Shares of the slots: for slow receivers, for slow and unknown ones together, and for any one receiver. */
const SLOW_SHARE = 1 / 2;
const UNPROVEN_SHARE = 3 / 4;
const RECEIVER_SHARE = 1 / 2;
/** Egress opens at most 50 connections per origin; a further delivery would wait for one during its attempt. */
const RECEIVER_MAX = 50;

type Standing = Pace['standing'];

/** The slots that a delivery in progress holds. */
export interface Place {
  /** Counts it as slow from now on, even if that exceeds the share of slow receivers. */
  slowDown(): void;
  leave(): void;
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
    enter(standing: Standing, { accountId, receiver }: Destination): Place | undefined {
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
    share: (standing: Standing, { accountId, receiver }: Destination): number =>
      Math.min(...poolsOf(standing, receiver).map((pool) => pool.share(accountId))),
  };
}
