import { isDeepStrictEqual } from 'node:util';
import {
  type GeneratorCall,
  isOpen,
  newCall,
  replacedBy,
  type StoredCall,
} from '../../lib/domain/generator-call.ts';
import type { GeneratorCallStore } from '../../lib/stores/generator-call-store.ts';
import type { Books } from './books.ts';

type Jobs = Pick<Books, 'calls' | 'localRenders'> & { jobs: ReadonlyMap<string, { status: string }> };

const seen = ({ id, outcome }: StoredCall) => [id, outcome];

/** @param now a clock of its own, in milliseconds */
export function createFakeGeneratorCallStore(books: Jobs, now = () => performance.now()): GeneratorCallStore {
  const time = () => new Date(now());
  const callsOf = (jobId: string) => books.calls.get(jobId) ?? [];
  const isProcessing = (jobId: string) => books.jobs.get(jobId)?.status === 'processing';
  const list = (jobId: string): GeneratorCall[] =>
    callsOf(jobId).map((call) => ({
      ...structuredClone(call),
      ageMs: now() - call.startedAt.getTime(),
      silentMs: now() - call.beatAt.getTime(),
    }));
  const change = (jobId: string, found: StoredCall, changes: Partial<StoredCall>) =>
    books.calls.set(
      jobId,
      callsOf(jobId).map((call) => (call === found ? { ...call, ...changes } : call)),
    );
  return {
    list: async (jobId) => list(jobId),

    async begin(jobId, fields, listed) {
      if (!isProcessing(jobId)) return 'ended';
      const calls = callsOf(jobId);
      if (!isDeepStrictEqual(calls.map(seen), listed.map(seen))) return 'changed';
      const replaced = replacedBy(fields, listed);
      const begun = { ...newCall(fields, replaced), startedAt: time(), beatAt: time() };
      books.calls.set(jobId, [...calls.filter(({ id }) => id !== replaced?.id), begun]);
      return 'begun';
    },

    async beginLocal(jobId) {
      if (isProcessing(jobId)) books.localRenders.add(jobId);
      return isProcessing(jobId);
    },

    async beat(jobId, callId) {
      const found = callsOf(jobId).find(({ id }) => id === callId);
      if (found === undefined) return isProcessing(jobId) || !books.jobs.has(jobId);
      if (!isProcessing(jobId) || !(isOpen(found) || found.outcome === 'lost')) return false;
      change(jobId, found, { beatAt: time() });
      return true;
    },

    async update(jobId, callId, changes) {
      const found = callsOf(jobId).find(({ id }) => id === callId);
      if (found === undefined || (changes.task !== undefined && !isOpen(found))) return false;
      if (changes.task === null && found.task !== null) return false;
      if (changes.result && found.result !== null) return false;
      change(jobId, found, changes.outcome === undefined ? changes : { ...changes, endedAt: time() });
      return true;
    },

    openOfEnded: async (after, limit) =>
      [...books.calls]
        .filter(([jobId, calls]) => jobId > after && calls.some(isOpen) && !isProcessing(jobId))
        .map(([jobId]) => jobId)
        .sort()
        .slice(0, limit),
  };
}
