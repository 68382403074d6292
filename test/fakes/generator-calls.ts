import { randomUUID } from 'node:crypto';
import { type GeneratorCall, MOST_CHARGED_CALLS, newCall } from '../../domain/generator-call.ts';
import type { GeneratorCallStore } from '../../stores/ports.ts';

export function createFakeGeneratorCallStore(): GeneratorCallStore {
  const jobs = new Map<string, GeneratorCall[]>();
  const callsOf = (jobId: string) => jobs.get(jobId) ?? [];
  return {
    list: async (jobId) => structuredClone(callsOf(jobId)),

    async begin(jobId, fields) {
      const charged = callsOf(jobId).filter(({ mayBeCharged }) => mayBeCharged).length;
      if (fields.mayBeCharged && charged >= MOST_CHARGED_CALLS) return undefined;
      const call = newCall(randomUUID(), fields);
      jobs.set(jobId, [...callsOf(jobId), call]);
      return call.id;
    },

    async update(jobId, callId, changes) {
      const calls = callsOf(jobId).map((call) => (call.id === callId ? { ...call, ...changes } : call));
      jobs.set(jobId, calls);
    },
  };
}
