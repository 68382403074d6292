import type { ToolUsage } from '../job-store.ts';
import type { Collections } from './documents.ts';

const DAY_MS = 24 * 3_600_000;

/** A deleted job counts as what it was. */
const ENDED_AS = { $ifNull: ['$deleted.was', '$status'] };
const countOf = (status: 'completed' | 'failed') => ({
  $sum: { $cond: [{ $eq: [ENDED_AS, status] }, 1, 0] },
});

/** See JobStore.usage. One query a day of the period, so that each is done in time. */
export async function usage(
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
