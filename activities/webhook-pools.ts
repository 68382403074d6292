import type { Destination, Pace } from './receiver-pace.ts';
import { createSlotPool, type SlotPool } from './slot-pool.ts';

/** Parts of the slots: for slow receivers, for slow and unknown ones together, and for any one receiver. */
const SLOW_PART = 1 / 2;
const UNPROVEN_PART = 3 / 4;
const RECEIVER_PART = 1 / 2;
/** Egress opens 50 connections to an origin: a delivery beyond them would spend its attempt's time in a queue. */
const RECEIVER_MOST = 50;

type Standing = Pace['standing'];

/** What a delivery under way holds of the pools. */
export interface Place {
  /** Counts it among the slow ones from now on, even beyond their part: it is there already. */
  slowDown(): void;
  leave(): void;
}

/** Divides the slots of one worker, so that some are free for quick receivers, however many slow ones there are. */
export function createWebhookPools(slots: number) {
  const part = (of: number) => Math.max(1, Math.floor(slots * of));
  const all = createSlotPool(slots);
  const unproven = createSlotPool(part(UNPROVEN_PART));
  const slow = createSlotPool(part(SLOW_PART));
  const shared = { quick: [all], unknown: [all, unproven], slow: [all, unproven, slow] };
  const receivers = new Map<string, SlotPool>();
  const ofReceiver = (receiver: string) =>
    receivers.get(receiver) ?? createSlotPool(Math.min(RECEIVER_MOST, part(RECEIVER_PART)));
  const poolsOf = (standing: Standing, receiver: string) => [...shared[standing], ofReceiver(receiver)];

  return {
    /** A place, unless the account has its share of one of the pools. */
    enter(standing: Standing, { accountId, receiver }: Destination): Place | undefined {
      const own = ofReceiver(receiver);
      const held = [...shared[standing], own];
      if (!held.every((pool) => pool.fits(accountId))) return undefined;
      for (const pool of held) pool.add(accountId);
      receivers.set(receiver, own);
      return {
        slowDown() {
          const more = shared.slow.filter((pool) => !held.includes(pool));
          for (const pool of more) pool.add(accountId);
          held.push(...more);
        },
        leave() {
          for (const pool of held) pool.remove(accountId);
          if (own.isEmpty()) receivers.delete(receiver);
        },
      };
    },

    /** How many deliveries like this one the account could have under way as things are. */
    share: (standing: Standing, { accountId, receiver }: Destination): number =>
      Math.min(...poolsOf(standing, receiver).map((pool) => pool.share(accountId))),
  };
}
