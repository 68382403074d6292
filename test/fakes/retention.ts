import type { JobRecord, ObjectRef } from '../../lib/domain/records.ts';
import type {
  HistoryStore,
  OrphanStore,
  RemovalStore,
  RetentionStore,
} from '../../lib/stores/retention-store.ts';
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

    async processing(olderThanMs, after, limit) {
      return jobs(({ id, status }) => status === 'processing' && id > after)
        .map(({ id, workflowId, createdAt }) => ({ id, workflowId, ageMs: Date.now() - Number(createdAt) }))
        .filter(({ ageMs }) => ageMs > olderThanMs)
        .sort(byId)
        .slice(0, limit);
    },

    async oldestProcessing() {
      const [oldest] = jobs(({ status }) => status === 'processing').sort(by('createdAt'));
      return oldest?.createdAt ?? null;
    },

    async ofClosedAccounts(limit, except = []) {
      const isClosed = (accountId: string) => books.accounts.get(accountId)?.status === 'closed';
      const left = jobs((job) => isClosed(job.accountId) && ended(job) && !except.includes(job.id));
      return ids(left, limit);
    },

    unowned: async (refs) => unowned(books, refs),
    hasImages: async (bucket) => jobs((job) => job[bucket].length > 0).length > 0,
  };
}

function unowned({ jobs }: Books, refs: readonly ObjectRef[]): ObjectRef[] {
  const owned = new Set(
    [...jobs.values()].flatMap(({ inputs, results }) => [...inputs, ...results].map(objectId)),
  );
  return refs.filter((ref) => !owned.has(objectId(ref)));
}

export function createFakeOrphanStore(books: Books): OrphanStore {
  const { orphans } = books;
  const rowsOf = (bucket: ObjectRef['bucket']) =>
    [...orphans.values()].filter((row) => row.bucket === bucket).sort((a, b) => (a.key < b.key ? -1 : 1));
  return {
    async record(bucket, { after, until }, keys, confirmed) {
      const inRange = () =>
        rowsOf(bucket).filter(({ key }) => key > after && (until === null || key <= until));
      for (const row of inRange()) if (!keys.includes(row.key)) orphans.delete(objectId(row));
      for (const key of keys) {
        const id = objectId({ bucket, key });
        if (!orphans.has(id)) orphans.set(id, { bucket, key, since: new Date(), confirmed: false });
      }
      for (const row of inRange()) row.confirmed ||= confirmed;
      return inRange().filter((row) => !row.confirmed).length;
    },

    async due(bucket, keptMs, after, limit) {
      const page = rowsOf(bucket).filter(({ key }) => key > after);
      const rows = page.slice(0, limit);
      const isDue = ({ since }: { since: Date }) => since.getTime() <= Date.now() - keptMs;
      return {
        refs: rows.filter(isDue).map(({ key }) => ({ bucket, key })),
        next: page.length > limit ? (rows.at(-1)?.key ?? null) : null,
      };
    },

    async enqueueRemovals(refs) {
      for (const ref of refs) orphans.delete(objectId(ref));
      const left = unowned(books, refs);
      enqueueRemovals(books, left);
      return left;
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
