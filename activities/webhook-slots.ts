import { createPaces, type Destination, type Pace } from './receiver-pace.ts';
import type { WebhookPolicy } from './webhook-policy.ts';
import { createWebhookPools, type Place } from './webhook-pools.ts';
import { nextTurn } from './webhook-turns.ts';

/** A slot for one attempt. */
export interface WebhookSlot {
  /** Runs the exchange with the receiver, which is judged by the time this takes unless the signal broke it off. */
  exchange<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  leave(): void;
}

export interface WebhookSlots {
  /** A slot, or the milliseconds after which to ask again. `waited`: whether it has asked before. */
  take(delivery: Destination, waited: boolean): WebhookSlot | { waitMs: number };
}

interface Taken {
  to: Destination;
  pace: Pace;
  place: Place;
  /** When the exchange began, while it is under way. */
  since?: number | undefined;
  late: boolean;
}

/**
 * Shares the slots of a worker among accounts. One that the worker does not know starts with one slot, quick answers
 * widen its share, and slow receivers have a part of the slots among them, however many they are.
 * @param now a monotonic clock, in milliseconds
 */
export function createWebhookSlots(
  { slots, slowMs }: Pick<WebhookPolicy, 'slots' | 'slowMs'>,
  now = () => performance.now(),
): WebhookSlots {
  const pools = createWebhookPools(slots);
  const paces = createPaces(slots);
  const underWay = new Set<Taken>();

  /** An exchange that has taken too long is a slow one already: nobody has to wait for its end to know. */
  function judgeLate(taken: Taken): void {
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
      judgeLate(taken);
      taken.since = undefined;
      if (taken.late || !signal.aborted) paces.ended(taken.to, taken.pace, now() - start, !taken.late);
    }
  }

  function leave(taken: Taken): void {
    if (!underWay.delete(taken)) return;
    taken.pace.underWay -= 1;
    if (taken.late) taken.pace.late -= 1;
    taken.place.leave();
  }

  /** How many slots the deliveries that wait can count on. */
  const shareOf = ({ standing, width }: Pace, to: Destination) =>
    standing === 'unknown' ? width : pools.share(standing, to);

  return {
    take(to, waited) {
      for (const taken of underWay) judgeLate(taken);
      const pace = paces.of(to);
      const place = mayEnter(pace, waited, now()) ? pools.enter(pace.standing, to) : undefined;
      if (place === undefined) return { waitMs: nextTurn(pace, shareOf(pace, to), now()) };
      const taken: Taken = { to, pace, place, late: false };
      underWay.add(taken);
      pace.underWay += 1;
      return { exchange: (work, signal) => exchange(taken, work, signal), leave: () => leave(taken) };
    },
  };
}

/** With a slow receiver, whose slots are few, those that have waited go before those that ask for the first time. */
const mayEnter = ({ standing, lastTurn, underWay, width }: Pace, waited: boolean, now: number) =>
  standing === 'slow' ? waited || lastTurn <= now : underWay < width;
