import { CANCELLED, deliveryIdOf, KEPT_ATTEMPTS, NEW_ROUND, NO_OUTCOME } from '../../stores/delivery.ts';
import type { DeliveryStore } from '../../stores/ports.ts';
import { type Books, copies, known } from './books.ts';

export function createFakeDeliveryStore({ deliveries }: Books): DeliveryStore {
  const read = (id: string) => structuredClone(known(deliveries, 'delivery', id));
  const pending = (id: string, round: string) => {
    const row = deliveries.get(id);
    return row?.round === round && row.state === 'pending' ? row : undefined;
  };
  return {
    async plan(delivery) {
      const { id } = delivery;
      if (!deliveries.has(id))
        deliveries.set(id, { ...delivery, ...NEW_ROUND, attempts: [], createdAt: new Date() });
      return read(id);
    },

    find: async (id) => structuredClone(deliveries.get(id)),
    list: async (accountId, limit) => copies(deliveries.values(), accountId).reverse().slice(0, limit),

    pending: async (createdBefore, after, limit) =>
      [...deliveries.values()]
        .filter(({ id, state, createdAt }) => state === 'pending' && id > after && createdAt < createdBefore)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map((row) => structuredClone(row)),

    async reopen(id, round) {
      const row = known(deliveries, 'delivery', id);
      if (row.round !== round) Object.assign(row, NEW_ROUND, { round });
      return read(id);
    },

    async begin(id, round, { at, url }) {
      const row = pending(id, round);
      if (row === undefined) return undefined;
      const attempt = { at, url, status: null, ms: null, error: NO_OUTCOME, answer: null };
      const attempts = [...row.attempts, attempt].slice(-KEPT_ATTEMPTS);
      Object.assign(row, { url, tries: row.tries + 1, nextAttemptAt: null, attempts });
      return read(id);
    },

    async record(id, round, attempt, end) {
      const begun = deliveries.get(id)?.attempts.find(({ at }) => at.getTime() === attempt.at.getTime());
      const row = pending(id, round);
      if (begun === undefined) return;
      if (row === undefined) Object.assign(begun, { ...attempt, url: null, answer: null });
      else {
        Object.assign(begun, attempt);
        Object.assign(row, { nextAttemptAt: null, ...end });
      }
    },

    async close(id, round, end) {
      const row = pending(id, round);
      if (row !== undefined) Object.assign(row, end, { nextAttemptAt: null });
    },
  };
}

/** See forgetDeliveries of the MongoDB adapter. */
export function forgetDelivery({ deliveries }: Books, jobId: string): void {
  const row = deliveries.get(deliveryIdOf(jobId));
  if (row === undefined) return;
  if (row.state === 'pending') Object.assign(row, CANCELLED);
  row.url = null;
  for (const attempt of row.attempts) Object.assign(attempt, { url: null, answer: null });
}
