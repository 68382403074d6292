import {
  CANCELLED_DELIVERY,
  deliveryIdOf,
  KEPT_ATTEMPTS,
  KEPT_TESTS,
  NEW_CYCLE,
  NO_OUTCOME,
} from '../../lib/domain/delivery.ts';
import type { DeliveryRecord } from '../../lib/domain/records.ts';
import type { DeliveryStore } from '../../lib/stores/delivery-store.ts';
import { type Books, getOrThrow, newestFirst } from './books.ts';

export function createFakeDeliveryStore({ deliveries }: Books): DeliveryStore {
  const read = (id: string) => structuredClone(getOrThrow(deliveries, 'delivery', id));
  const pending = (id: string, cycle: string) => {
    const row = deliveries.get(id);
    return row?.cycle === cycle && row.state === 'pending' ? row : undefined;
  };
  return {
    async plan(delivery) {
      const { id } = delivery;
      if (!deliveries.has(id))
        deliveries.set(id, { ...delivery, ...NEW_CYCLE, attempts: [], createdAt: new Date() });
      return read(id);
    },

    find: async (id) => structuredClone(deliveries.get(id)),
    list: async (accountId, limit, { state, after, jobId, attempts = KEPT_ATTEMPTS } = {}) => {
      const owned = [...deliveries.values()].filter(
        (row) => accountId === null || row.accountId === accountId,
      );
      const matches = (row: DeliveryRecord) =>
        (state === undefined || row.state === state) && (jobId === undefined || row.jobId === jobId);
      const rows = newestFirst(owned, owned.length, after).filter(matches).slice(0, limit);
      return rows.map((row) => ({ ...row, attempts: row.attempts.slice(-attempts) }));
    },

    pending: async (createdBefore, after, limit) =>
      [...deliveries.values()]
        .filter(({ id, state, createdAt }) => state === 'pending' && id > after && createdAt < createdBefore)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map((row) => structuredClone(row)),

    oldestPending: async () =>
      [...deliveries.values()]
        .filter(({ state }) => state === 'pending')
        .reduce<Date | null>(
          (oldest, { createdAt }) => (oldest !== null && oldest <= createdAt ? oldest : createdAt),
          null,
        ),

    async reopen(id, cycle, after) {
      const row = getOrThrow(deliveries, 'delivery', id);
      const opens =
        after === undefined ? row.cycle !== cycle : row.cycle === after && row.state !== 'pending';
      if (opens) Object.assign(row, NEW_CYCLE, { cycle });
      return read(id);
    },

    async dropOldTests(accountId) {
      const tests = [...deliveries.values()].filter(
        (row) => row.accountId === accountId && row.type === 'test.ping',
      );
      for (const { id, state } of tests.slice(0, -KEPT_TESTS)) if (state !== 'pending') deliveries.delete(id);
    },

    async begin(id, cycle, { at, url }) {
      const row = pending(id, cycle);
      if (row === undefined) return undefined;
      const attempt = { at, url, status: null, ms: null, error: NO_OUTCOME, responseBody: null };
      const attempts = [...row.attempts, attempt].slice(-KEPT_ATTEMPTS);
      Object.assign(row, { url, tries: row.tries + 1, nextAttemptAt: null, attempts });
      return read(id);
    },

    async record(id, cycle, attempt, end) {
      const begun = deliveries.get(id)?.attempts.find(({ at }) => at.getTime() === attempt.at.getTime());
      const row = pending(id, cycle);
      if (begun === undefined) return;
      if (row === undefined) Object.assign(begun, { ...attempt, url: null, responseBody: null });
      else {
        Object.assign(begun, attempt);
        Object.assign(row, { nextAttemptAt: null, ...end });
      }
    },

    async close(id, cycle, end) {
      const row = pending(id, cycle);
      if (row !== undefined) Object.assign(row, end, { nextAttemptAt: null });
    },
  };
}

/** See cancelDeliveries of the MongoDB adapter. */
export function cancelDelivery({ deliveries }: Books, jobId: string): void {
  const row = deliveries.get(deliveryIdOf(jobId));
  if (row === undefined) return;
  if (row.state === 'pending') Object.assign(row, CANCELLED_DELIVERY);
  row.url = null;
  for (const attempt of row.attempts) Object.assign(attempt, { url: null, responseBody: null });
}
