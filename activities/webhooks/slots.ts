import type { WebhookPolicy } from './policy.ts';
import { createWebhookPools, type Place } from './pools.ts';
import { type AccountReceiver, createPaces, type ReceiverPace } from './receiver-pace.ts';

const SHORTEST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15 * 60_000;
/** More deliveries are scheduled than slots are expected, so that no slot stays empty. */
const OVERBOOKING = 1.5;

export interface WebhookSlot {
  /** Runs the exchange with the receiver and measures it; an exchange that the signal aborted is not counted. */
  exchange<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  leave(): void;
}

export interface WebhookSlots {
  /** A slot, or the milliseconds after which to try again. `waited`: whether the delivery has tried before. */
  take(delivery: AccountReceiver, waited: boolean): WebhookSlot | { waitMs: number };
}

interface Taken {
  to: AccountReceiver;
  pace: ReceiverPace;
  place: Place;
  /** Start of the exchange while it is in progress. */
  since?: number | undefined;
  late: boolean;
}

/**
 * Shares the slots of a worker among accounts. A new account starts with one slot, quick responses widen its share, and
 * all slow receivers together get a limited share, however many there are.
 * @param now a monotonic clock, in milliseconds
 */
export function createWebhookSlots(
  { slots, slowMs }: Pick<WebhookPolicy, 'slots' | 'slowMs'>,
  now = () => performance.now(),
): WebhookSlots {
  const pools = createWebhookPools(slots);
  const paces = createPaces(slots);
  const inProgress = new Set<Taken>();

  /** Marks an exchange that has taken too long as slow, without waiting for its end. */
  function markIfLate(taken: Taken): void {
    const ms = now() - (taken.since ?? now());
    if (taken.late || ms <= slowMs) return;
    taken.late = true;
    taken.pace.late += 1;
    taken.place.slowDown();
    paces.overdue(taken.to, taken.pace, ms);
  }

  async function exchange<T>(taken: Taken, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const start = now();
    taken.since = start;
    try {
      return await work();
    } finally {
      markIfLate(taken);
      taken.since = undefined;
      if (taken.late || !signal.aborted) paces.ended(taken.to, taken.pace, now() - start, !taken.late);
    }
  }

  function leave(taken: Taken): void {
    if (!inProgress.delete(taken)) return;
    taken.pace.underWay -= 1;
    if (taken.late) taken.pace.late -= 1;
    taken.place.leave();
  }

  /** How many slots the waiting deliveries can expect. */
  const shareOf = ({ standing, width }: ReceiverPace, to: AccountReceiver) =>
    standing === 'unknown' ? width : pools.share(standing, to);

  return {
    take(to, waited) {
      for (const taken of inProgress) markIfLate(taken);
      const pace = paces.of(to);
      const place = mayEnter(pace, waited, now()) ? pools.enter(pace.standing, to) : undefined;
      if (place === undefined) return { waitMs: nextTurn(pace, shareOf(pace, to), now()) };
      const taken: Taken = { to, pace, place, late: false };
      inProgress.add(taken);
      pace.underWay += 1;
      return { exchange: (work, signal) => exchange(taken, work, signal), leave: () => leave(taken) };
    },
  };
}

/** A slow receiver has few slots: deliveries that have waited get them before new ones. */
const mayEnter = ({ standing, lastTurn, underWay, width }: ReceiverPace, waited: boolean, now: number) =>
  standing === 'slow' ? waited || lastTurn <= now : underWay < width;

/**
 * When a delivery that found no slot should try again: behind those that are already waiting, at the rate at which its
 * receiver frees slots. So the number of tries stays close to the number of slots, however many deliveries wait.
 * @returns milliseconds, with a jitter of a quarter either way
 */
function nextTurn(pace: ReceiverPace, share: number, now: number): number {
  const turn = Math.max(pace.lastTurn, now) + pace.ms / share / OVERBOOKING;
  pace.lastTurn = Math.min(turn, now + LONGEST_WAIT_MS);
  return Math.max(SHORTEST_WAIT_MS, pace.lastTurn - now) * (0.75 + Math.random() / 2);
}
