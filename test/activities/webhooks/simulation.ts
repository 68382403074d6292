import { createDeliveryLimits } from '../../../activities/webhooks/delivery-limits.ts';
import { webhookPolicy } from '../../../activities/webhooks/policy.ts';
import type { AccountReceiver } from '../../../activities/webhooks/receivers.ts';

/** One simulated delivery and its result. Times are milliseconds of the simulated clock. */
export interface Simulated extends AccountReceiver {
  /** Response time of its receiver. */
  responseMs: number;
  tries: number;
  longestWaitMs: number;
  ended: boolean;
}

/**
 * One worker on a simulated clock. A delivery without a permit tries again after its wait, as
 * Temporal would do.
 */
export function simulateWorker(slots: number) {
  let clock = 0;
  const due: { at: number; run: () => Promise<void> }[] = [];
  const worker = createDeliveryLimits(webhookPolicy({ slots }), () => clock);
  const inProgress = new Set<Simulated>();
  const { signal } = new AbortController();

  /** Schedules in order of time, then in order of call. */
  function at(time: number, run: () => Promise<void>): void {
    let [low, high] = [0, due.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((due[middle]?.at ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    due.splice(low, 0, { at: time, run });
  }

  async function attempt(delivery: Simulated): Promise<void> {
    delivery.tries += 1;
    const permit = worker.acquire(delivery, delivery.tries > 1);
    if ('waitMs' in permit) {
      delivery.longestWaitMs = Math.max(delivery.longestWaitMs, permit.waitMs);
      return at(clock + permit.waitMs, () => attempt(delivery));
    }
    inProgress.add(delivery);
    let respond = () => {};
    const response = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const exchange = permit.exchange(() => response, signal);
    at(clock + delivery.responseMs, async () => {
      respond();
      await exchange;
      delivery.ended = true;
      inProgress.delete(delivery);
      permit.release();
    });
  }

  return {
    inProgress: (accountId?: string) =>
      [...inProgress].filter((delivery) => accountId === undefined || delivery.accountId === accountId)
        .length,
    /** Starts new deliveries now. */
    send(to: AccountReceiver, responseMs: number, count = 1): Simulated[] {
      const create = () => ({ ...to, responseMs, tries: 0, longestWaitMs: 0, ended: false });
      const deliveries = Array.from({ length: count }, create);
      for (const delivery of deliveries) at(clock, () => attempt(delivery));
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
