import type { FindCursor } from 'mongodb';
import type { JobRecord } from '../../domain/records.ts';
import type { JobFilter, ToolUsage } from '../job-store.ts';
import { type Collections, type JobDocument, toJob } from './documents.ts';
import { NEWEST_FIRST, pageAfter } from './queries.ts';

/** API keys per query. */
const KEYS = 1000;

/**
 * See JobStore.list. A filter by account, with or without status or tool, walks an index in the
 * order of the list.
 */
export async function findJobs(
  c: Collections,
  accountId: string | null,
  limit: number,
  { status, tool, since, until, keys, after, brief = false }: JobFilter = {},
): Promise<JobRecord[]> {
  const matching = {
    // Tombstones have no time of creation and no account.
    ...(accountId === null ? { createdAt: { $exists: true } } : { accountId }),
    ...(status === undefined ? {} : { status: typeof status === 'string' ? status : { $in: [...status] } }),
    ...(tool === undefined ? {} : { tool }),
    $and: [
      since === undefined ? {} : { createdAt: { $gte: since } },
      until === undefined ? {} : { createdAt: { $lt: until } },
      await pageAfter(c.jobs, after, accountId),
    ],
  };
  const fields = { projection: { calls: 0, ...(brief ? { options: 0, warnings: 0 } : {}) } };
  const read = async (found: FindCursor<JobDocument>) =>
    (await found.toArray()).map((job) => (brief ? { ...job, options: {}, warnings: [] } : job));
  if (keys === undefined)
    return (await read(c.jobs.find(matching, fields).sort(NEWEST_FIRST).limit(limit))).map(toJob);
  const ids = await idsOfKeys(c, accountId, keys);
  // The jobs are few, and an index in the order of the list would be walked to its end.
  const found = c.jobs.find({ ...matching, _id: { $in: ids } }, { ...fields, hint: { _id: 1 } });
  return (await read(found)).sort(newestFirst).slice(0, limit).map(toJob);
}

/** See JobStore.listByIdempotencyKey. */
export async function listByIdempotencyKey(
  c: Collections,
  accountId: string | null,
  key: string,
): Promise<JobRecord[]> {
  const ids = await idsOfKeys(c, accountId, [key]);
  return (await c.jobs.find({ _id: { $in: ids } }).toArray()).sort(newestFirst).map(toJob);
}

const newestFirst = (a: JobDocument, b: JobDocument) =>
  b.createdAt.getTime() - a.createdAt.getTime() || (a._id < b._id ? 1 : -1);

/** The index of idempotency keys begins with the API key, so all API keys are asked for. */
async function idsOfKeys(
  { keys, idempotency }: Collections,
  accountId: string | null,
  wanted: readonly string[],
): Promise<string[]> {
  const ids: string[] = [];
  let after = '';
  for (;;) {
    const owner = accountId === null ? {} : { accountId };
    const owned = keys.find({ ...owner, _id: { $gt: after } }, { projection: { _id: 1 } }).sort({ _id: 1 });
    const keyIds = (await owned.limit(KEYS).toArray()).map(({ _id }) => _id);
    const rows = idempotency.find({ keyId: { $in: keyIds }, key: { $in: [...wanted] } });
    ids.push(...(await rows.toArray()).map(({ _id }) => _id));
    if (keyIds.length < KEYS) return ids;
    after = keyIds.at(-1) ?? after;
  }
}

const DAY_MS = 24 * 3_600_000;

/** A deleted job counts with its status before the deletion. */
const ENDED_AS = { $ifNull: ['$deleted.was', '$status'] };
const countOf = (status: 'completed' | 'failed') => ({
  $sum: { $cond: [{ $eq: [ENDED_AS, status] }, 1, 0] },
});

/** See JobStore.usage. One query for each day of the period, so that none takes too long. */
export async function usageByTool(
  { jobs }: Collections,
  accountId: string,
  from: Date,
  until: Date,
): Promise<ToolUsage[]> {
  const sums = new Map<string, ToolUsage>();
  for (let start = from.getTime(); start < until.getTime(); start += DAY_MS) {
    const end = new Date(Math.min(start + DAY_MS, until.getTime()));
    const day = jobs.aggregate<ToolUsage>([
      { $match: { accountId, createdAt: { $gte: new Date(start), $lt: end } } },
      {
        $group: {
          _id: '$tool',
          jobs: { $sum: 1 },
          completed: countOf('completed'),
          failed: countOf('failed'),
          imagesCharged: { $sum: '$imagesCharged' },
          imagesRefunded: { $sum: { $cond: [{ $eq: [ENDED_AS, 'failed'] }, '$imagesCharged', 0] } },
        },
      },
      { $set: { tool: '$_id' } },
      { $unset: '_id' },
    ]);
    for (const row of await day.toArray()) add(sums, row);
  }
  return [...sums.values()].sort((a, b) => (a.tool < b.tool ? -1 : 1));
}

function add(sums: Map<string, ToolUsage>, row: ToolUsage): void {
  const sum = sums.get(row.tool);
  if (sum === undefined) sums.set(row.tool, row);
  else
    for (const field of ['jobs', 'completed', 'failed', 'imagesCharged', 'imagesRefunded'] as const)
      sum[field] += row[field];
}
