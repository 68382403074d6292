import { randomUUID } from 'node:crypto';
import { type GeneratorCall, MOST_CHARGED_CALLS, newCall } from '../../domain/generator-call.ts';
import type { GeneratorCallStore } from '../../stores/generator-call-store.ts';

/** @param now a clock of its own, in milliseconds */
export function createFakeGeneratorCallStore(
  now = () => performance.now(),
): GeneratorCallStore & { closeUnbegun(jobId: string): boolean } {
  const jobs = new Map<string, Omit<GeneratorCall, 'ageMs'>[]>();
  const closed = new Set<string>();
  const local = new Set<string>();
  const time = () => new Date(now());
  const callsOf = (jobId: string) => jobs.get(jobId) ?? [];
  const list = (jobId: string) =>
    callsOf(jobId).map((call) => ({ ...structuredClone(call), ageMs: now() - call.startedAt.getTime() }));
  return {
    list: async (jobId) => list(jobId),

    async begin(jobId, fields) {
      const charged = callsOf(jobId).filter(({ mayBeCharged }) => mayBeCharged).length;
      if (closed.has(jobId) || (fields.mayBeCharged && charged >= MOST_CHARGED_CALLS)) return undefined;
      const call = { ...newCall(randomUUID(), fields), startedAt: time() };
      jobs.set(jobId, [...callsOf(jobId), call]);
      return call.id;
    },

    async beginLocal(jobId) {
      if (closed.has(jobId)) return false;
      local.add(jobId);
      return true;
    },

    /** For JobStore.cancel. @returns false if a generator was asked */
    closeUnbegun(jobId) {
      if (local.has(jobId) || callsOf(jobId).length > 0) return false;
      closed.add(jobId);
      return true;
    },

    async update(jobId, callId, changes) {
      const found = callsOf(jobId).find(({ id }) => id === callId);
      if (found === undefined || (changes.task !== undefined && found.outcome !== null)) return false;
      const changed = changes.outcome === undefined ? changes : { ...changes, endedAt: time() };
      const calls = callsOf(jobId).map((call) => (call === found ? { ...call, ...changed } : call));
      jobs.set(jobId, calls);
      return true;
    },

    async close(jobId) {
      closed.add(jobId);
      return list(jobId);
    },
  };
}
