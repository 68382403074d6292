import type { JobRecord } from '../../domain/records.ts';
import type { JobStore, ToolUsage } from '../../stores/job-store.ts';
import { type Books, newestFirst } from './books.ts';

type Lists = Pick<JobStore, 'list' | 'listByIdempotencyKey' | 'usage'>;

export function createFakeJobLists(books: Books): Lists {
  const of = (accountId: string | null) =>
    [...books.jobs.values()].filter((job) => accountId === null || job.accountId === accountId);
  return {
    async list(accountId, limit, { status, tool, since, after } = {}) {
      const jobs = of(accountId).filter(
        (job) =>
          (status === undefined || job.status === status) &&
          (tool === undefined || job.tool === tool) &&
          (since === undefined || job.createdAt >= since),
      );
      return newestFirst(jobs, limit, after);
    },

    async listByIdempotencyKey(accountId, key) {
      const ids = [...books.idempotency].flatMap(([id, { jobId }]) =>
        JSON.parse(id)[1] === key ? [jobId] : [],
      );
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
