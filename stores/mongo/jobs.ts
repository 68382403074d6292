import type { JobStore } from '../ports.ts';
import type { JobDraft, JobRecord } from '../records.ts';
import { acceptAll } from './acceptance.ts';
import type { Mongo } from './client.ts';
import { dropInputs, removeJobs } from './deletion.ts';
import { collections, isTombstone, type JobDocument, toJob } from './documents.ts';
import { endedJob, endJob } from './ending.ts';
import { fence, markAnswered, voidJob } from './fence.ts';
import { createLanes } from './lanes.ts';
import { createLookUp } from './look-up.ts';

/** Acceptances of one account that share a transaction. */
const ACCEPTED_AT_ONCE = 25;

export function createJobStore(mongo: Mongo): JobStore {
  const c = collections(mongo.db);
  // Acceptances of one account all write its balance: side by side they would only collide and be done again.
  const inLane = createLanes((drafts: JobDraft[]) => acceptAll(mongo, c, drafts), ACCEPTED_AT_ONCE);
  const byId = createLookUp(c.jobs, '_id');
  return {
    accept: (draft) => inLane(draft.accountId, draft),
    fence: (jobId, unpaid) => fence(c, jobId, unpaid),
    void: (jobId, requestId) => voidJob(mongo, c, jobId, requestId),
    markAnswered: (jobId, requestId) => markAnswered(c, jobId, requestId),

    async findByIdempotencyKey(keyId, key) {
      const row = await c.idempotency.findOne({ keyId, key });
      return row === null ? undefined : { jobId: row._id, bodyDigest: row.bodyDigest };
    },

    async find(accountId, jobId) {
      const job = readable(await byId(jobId));
      return job?.accountId === accountId ? job : undefined;
    },

    async get(jobId) {
      const job = await c.jobs.findOne({ _id: jobId, accountId: { $exists: true } });
      return job === null ? undefined : toJob(job);
    },

    async list(accountId, limit) {
      return (await c.jobs.find({ accountId }).sort({ createdAt: -1 }).limit(limit).toArray()).map(toJob);
    },

    complete: (jobId, end) => endJob(mongo, c, jobId, { status: 'completed', ...end }),
    fail: (jobId, { clientFault = false, ...end }) =>
      endJob(mongo, c, jobId, { status: 'failed', ...end }, clientFault),
    ended: (jobId) => endedJob(c, jobId),
    remove: (jobIds) => removeJobs(mongo, c, jobIds),
    dropInputs: (jobIds) => dropInputs(mongo, c, jobIds),
  };
}

/** What a client may read: neither a deleted nor a voided job. */
function readable(job: JobDocument | null): JobRecord | undefined {
  return job === null || isTombstone(job) || job.status === 'deleted' ? undefined : toJob(job);
}
