import type { JobRecord, ObjectRef } from '../../domain/records.ts';
import type { HistoryStore } from '../../stores/history-store.ts';
import type { RemovalStore } from '../../stores/removal-store.ts';
import type { RetentionStore } from '../../stores/retention-store.ts';
import type { Books } from './books.ts';

export const objectId = ({ bucket, key }: ObjectRef) => `${bucket}/${key}`;

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
const by = (field: 'createdAt' | 'completedAt') => (a: JobRecord, b: JobRecord) =>
  Number(a[field]) - Number(b[field]);

export function createFakeRetentionStore(books: Books): RetentionStore {
  const jobs = (matches: (job: JobRecord) => boolean) => [...books.jobs.values()].filter(matches);
  const ids = (found: JobRecord[], limit: number) => found.slice(0, limit).map(({ id }) => id);
  const ended = ({ status }: JobRecord) => status === 'completed' || status === 'failed';
  return {
    keys: async (after, limit) =>
      [...books.keys.values()]
        .flatMap(({ id, retentionDays }) => (retentionDays === null ? [] : [{ id, retentionDays }]))
        .filter(({ id }) => id > after)
        .sort(byId)
        .slice(0, limit),

    async expired(keyId, createdBefore, limit, except = []) {
      const due = jobs((job) => job.keyId === keyId && ended(job) && job.createdAt < createdBefore);
      return ids(due.filter(({ id }) => !except.includes(id)).sort(by('createdAt')), limit);
    },

    async surplus(accountId, keep, limit) {
      const completed = jobs((job) => job.accountId === accountId && job.status === 'completed');
      const surplus = Math.max(completed.length - keep, 0);
      return ids(completed.sort(by('completedAt')), Math.min(surplus, limit));
    },

    async failedWithInput(createdBefore, limit, except = []) {
      const due = jobs(
        ({ status, inputs, createdAt }) =>
          status === 'failed' && inputs.length > 0 && createdAt < createdBefore,
      );
      return ids(
        due.filter(({ id }) => !except.includes(id)),
        limit,
      );
    },

    async processing(createdBefore, after, limit) {
      return jobs(
        ({ id, status, createdAt }) => status === 'processing' && createdAt < createdBefore && id > after,
      )
        .sort(byId)
        .slice(0, limit)
        .map(({ id, workflowId }) => ({ id, workflowId }));
    },

    async unowned(refs) {
      const owned = new Set(
        jobs(() => true).flatMap(({ inputs, results }) => [...inputs, ...results].map(objectId)),
      );
      return refs.filter((ref) => !owned.has(objectId(ref)));
    },
  };
}

export function createFakeRemovalStore(books: Books): RemovalStore {
  return {
    enqueue: async (refs) => enqueueRemovals(books, refs),

    async markRemoved(refs, failures) {
      const failed = failures.map(({ ref }) => ref);
      const kept = new Set(failed.map(objectId));
      for (const id of refs.map(objectId)) if (!kept.has(id)) books.removals.delete(id);
      enqueueRemovals(books, failed);
    },

    async pending(after, limit) {
      const rows = [...books.removals].filter(([id]) => id > after).sort(([a], [b]) => (a < b ? -1 : 1));
      const page = rows.slice(0, limit);
      return {
        refs: page.map(([, { bucket, key }]) => ({ bucket, key })),
        next: rows.length > limit ? (page.at(-1)?.[0] ?? null) : null,
      };
    },

    async backlog() {
      // Rows stay in the order in which they were enqueued.
      const [oldest] = books.removals.values();
      return { count: books.removals.size, oldest: oldest?.since ?? null };
    },
  };
}

export function enqueueRemovals({ removals }: Books, refs: readonly ObjectRef[]): void {
  for (const { bucket, key } of refs) {
    const id = objectId({ bucket, key });
    if (!removals.has(id)) removals.set(id, { bucket, key, since: new Date() });
  }
}

export function createFakeHistoryStore({ histories }: Books): HistoryStore {
  return {
    async pending(after, limit) {
      const ids = [...histories].filter((id) => id > after).sort();
      const workflowIds = ids.slice(0, limit);
      return { workflowIds, next: ids.length > limit ? (workflowIds.at(-1) ?? null) : null };
    },

    async markDeleted(workflowIds) {
      for (const id of workflowIds) histories.delete(id);
    },
  };
}
