import type { FindCursor } from 'mongodb';
import type { JobRecord } from '../../domain/records.ts';
import type { JobFilter } from '../job-store.ts';
import { type Collections, type JobDocument, toJob } from './documents.ts';
import { NEWEST_FIRST, pageAfter } from './newest-first.ts';

/** API keys per query. */
const KEYS = 1000;

/** See JobStore.list. A filter by account, with or without status or tool, walks an index in the order of the list. */
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
