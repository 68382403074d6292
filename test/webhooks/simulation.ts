import type { Destination } from '../../activities/receiver-pace.ts';
import { webhookPolicy } from '../../activities/webhook-policy.ts';
import { createWebhookSlots } from '../../activities/webhook-slots.ts';

/** One delivery of a simulation and what became of it. Times are milliseconds of the simulated clock. */
export interface Simulated extends Destination {
  /** How long its receiver takes. */
  lastsMs: number;
  asks: number;
  longestWaitMs: number;
  ended: boolean;
}

/** One worker on a clock of its own. A delivery that is told to wait asks again when Temporal would have it do so. */
export function simulateWorker(slots: number) {
  let clock = 0;
  const due: { at: number; run: () => Promise<void> }[] = [];
  const worker = createWebhookSlots(webhookPolicy({ slots }), () => clock);
  const underWay = new Set<Simulated>();
  const { signal } = new AbortController();

  /** Keeps what is due in order of time, and in order of call where the time is the same. */
  function at(time: number, run: () => Promise<void>): void {
    let [low, high] = [0, due.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((due[middle]?.at ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    due.splice(low, 0, { at: time, run });
  }

  async function ask(delivery: Simulated): Promise<void> {
    delivery.asks += 1;
    const slot = worker.take(delivery, delivery.asks > 1);
    if ('waitMs' in slot) {
      delivery.longestWaitMs = Math.max(delivery.longestWaitMs, slot.waitMs);
      return at(clock + slot.waitMs, () => ask(delivery));
    }
    underWay.add(delivery);
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const exchange = slot.exchange(() => answered, signal);
    at(clock + delivery.lastsMs, async () => {
      answer();
      await exchange;
      delivery.ended = true;
      underWay.delete(delivery);
      slot.leave();
    });
  }

  return {
    underWay: (accountId?: string) =>
      [...underWay].filter((delivery) => accountId === undefined || delivery.accountId === accountId).length,
    /** So many deliveries that ask for the first time now. */
    send(to: Destination, lastsMs: number, count = 1): Simulated[] {
      const create = () => ({ ...to, lastsMs, asks: 0, longestWaitMs: 0, ended: false });
      const deliveries = Array.from({ length: count }, create);
      for (const delivery of deliveries) at(clock, () => ask(delivery));
      return deliveries;
    },
    async run(ms: number): Promise<void> {
      const until = clock + ms;
      for (let next = due[0]; next !== undefined && next.at <= until; next = due[0]) {
        due.shift();
        clock = next.at;
        await next.run();
      }
      clock = until;
    },
  };
}

export const endedOf = (deliveries: readonly Simulated[]) => deliveries.filter(({ ended }) => ended).length;
