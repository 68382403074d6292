import type { JobFailure, JobStore } from '../ports.ts';
import type { JobDraft, JobRecord } from '../records.ts';
import { acceptAll } from './acceptance.ts';
import type { Mongo } from './client.ts';
import { dropInputs, removeJobs } from './deletion.ts';
import { collections, isTombstone, type JobDocument, toJob } from './documents.ts';
import { endedJob, endJob } from './ending.ts';
import { fence, markAnswered, voidJob } from './fence.ts';
import { createLanes } from './lanes.ts';
import { createLookUp } from './look-up.ts';

/** Acceptances of one account share transactions. */
const ACCEPTANCES = { together: 25, waiting: 200 };
/** Refunds of one account have a transaction each. Few wait: each holds a slot of the worker meanwhile. */
const REFUNDS = { together: 1, waiting: 50 };

type Failure = JobFailure & { jobId: string };

export function createJobStore(mongo: Mongo): JobStore {
  const c = collections(mongo.db);
  // All of one account write its balance: side by side they would only collide and be done again.
  const acceptInLane = createLanes((drafts: JobDraft[]) => acceptAll(mongo, c, drafts), ACCEPTANCES);
  const failInLane = createLanes((failures: Failure[]) => Promise.all(failures.map(fail)), REFUNDS);
  const fail = ({ jobId, clientFault, ...end }: Failure) =>
    endJob(mongo, c, jobId, { status: 'failed', ...end }, clientFault);
  const byId = createLookUp(c.jobs, '_id');
  return {
    accept: (draft) => acceptInLane(draft.accountId, draft),
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
    async fail(jobId, end) {
      const job = await c.jobs.findOne({ _id: jobId }, { projection: { accountId: 1 } });
      return failInLane(job?.accountId ?? jobId, { jobId, ...end });
    },
    ended: (jobId) => endedJob(c, jobId),
    remove: (jobIds) => removeJobs(mongo, c, jobIds),
    dropInputs: (jobIds) => dropInputs(mongo, c, jobIds),
  };
}

/** What a client may read: neither a deleted nor a voided job. */
function readable(job: JobDocument | null): JobRecord | undefined {
  return job === null || isTombstone(job) || job.status === 'deleted' ? undefined : toJob(job);
}
