import type { JobRecord } from '../../lib/domain/records.ts';
import type { JobStore, ToolUsage } from '../../lib/stores/job-store.ts';
import { type Books, newestFirst } from './books.ts';

type Lists = Pick<JobStore, 'list' | 'listByIdempotencyKey' | 'usage'>;

export function createFakeJobLists(books: Books): Lists {
  const of = (accountId: string | null) =>
    [...books.jobs.values()].filter((job) => accountId === null || job.accountId === accountId);
  const idsOf = (keys: readonly string[]) =>
    [...books.idempotency].flatMap(([id, { jobId }]) => (keys.includes(JSON.parse(id)[1]) ? [jobId] : []));
  return {
    async list(accountId, limit, { status, tool, since, until, keys, after, brief = false } = {}) {
      const jobs = of(accountId).filter(
        (job) =>
          (status === undefined || [status].flat().includes(job.status)) &&
          (tool === undefined || job.tool === tool) &&
          (since === undefined || job.createdAt >= since) &&
          (until === undefined || job.createdAt < until) &&
          (keys === undefined || idsOf(keys).includes(job.id)),
      );
      const order = of(accountId);
      return newestFirst(order, order.length, after)
        .filter(({ id }) => jobs.some((job) => job.id === id))
        .slice(0, limit)
        .map((job) => (brief ? { ...job, options: {}, warnings: [] } : job));
    },

    async listByIdempotencyKey(accountId, key) {
      const ids = idsOf([key]);
      return newestFirst(
        of(accountId).filter(({ id }) => ids.includes(id)),
        ids.length,
      );
    },

    async usage(accountId, from, until) {
      const jobs = of(accountId).filter(({ createdAt }) => createdAt >= from && createdAt < until);
      const tools = [...new Set(jobs.map(({ tool }) => tool))].sort();
      return tools.map((tool) =>
        sum(
          tool,
          jobs.filter((job) => job.tool === tool),
        ),
      );
    },
  };
}

function sum(tool: string, jobs: readonly JobRecord[]): ToolUsage {
  const ended = (end: string) => jobs.filter(({ status, deleted }) => (deleted?.was ?? status) === end);
  const images = (some: readonly JobRecord[]) => some.reduce((total, job) => total + job.imagesCharged, 0);
  return {
    tool,
    jobs: jobs.length,
    completed: ended('completed').length,
    failed: ended('failed').length,
    imagesCharged: images(jobs),
    imagesRefunded: images(ended('failed')),
  };
}
