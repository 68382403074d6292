import type { JobRecord } from '../../domain/records.ts';
import type { JobFilter } from '../job-store.ts';
import { type Collections, toJob } from './documents.ts';
import { NEWEST_FIRST, pageAfter } from './newest-first.ts';

/** API keys per query. */
const KEYS = 1000;

/** See JobStore.list. */
export async function listJobs(
  { jobs }: Collections,
  accountId: string | null,
  limit: number,
  { status, tool, since, after }: JobFilter = {},
): Promise<JobRecord[]> {
  const found = jobs.find({
    // Tombstones have no time of creation and no account.
    ...(accountId === null ? { createdAt: { $exists: true } } : { accountId }),
    ...(status === undefined ? {} : { status }),
    ...(tool === undefined ? {} : { tool }),
    $and: [since === undefined ? {} : { createdAt: { $gte: since } }, await pageAfter(jobs, after)],
  });
  return (await found.sort(NEWEST_FIRST).limit(limit).toArray()).map(toJob);
}

/** See JobStore.listByIdempotencyKey. The index begins with the API key, so all API keys are asked for. */
export async function listByIdempotencyKey(
  { keys, idempotency, jobs }: Collections,
  accountId: string | null,
  key: string,
): Promise<JobRecord[]> {
  const found: JobRecord[] = [];
  let after = '';
  for (;;) {
    const owner = accountId === null ? {} : { accountId };
    const owned = keys.find({ ...owner, _id: { $gt: after } }, { projection: { _id: 1 } }).sort({ _id: 1 });
    const keyIds = (await owned.limit(KEYS).toArray()).map(({ _id }) => _id);
    const rows = await idempotency.find({ keyId: { $in: keyIds }, key }).toArray();
    const ids = rows.map(({ _id }) => _id);
    const page = jobs.find({ _id: { $in: ids } }).sort(NEWEST_FIRST);
    found.push(...(await page.toArray()).map(toJob));
    if (keyIds.length < KEYS) return found;
    after = keyIds.at(-1) ?? after;
  }
}
