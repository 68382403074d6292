import type { WebhookPolicy } from './policy.ts';
import { createWebhookPools, type Place } from './pools.ts';
import { createPaces, type Destination, type Pace } from './receiver-pace.ts';
import { nextTurn } from './turns.ts';

export interface WebhookSlot {
  /** Runs the exchange with the receiver and measures it; an exchange that the signal aborted is not counted. */
  exchange<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  leave(): void;
}

export interface WebhookSlots {
  /** A slot, or the milliseconds after which to try again. `waited`: whether the delivery has tried before. */
  take(delivery: Destination, waited: boolean): WebhookSlot | { waitMs: number };
}

interface Taken {
  to: Destination;
  pace: Pace;
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
  const shareOf = ({ standing, width }: Pace, to: Destination) =>
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
const mayEnter = ({ standing, lastTurn, underWay, width }: Pace, waited: boolean, now: number) =>
  standing === 'slow' ? waited || lastTurn <= now : underWay < width;
