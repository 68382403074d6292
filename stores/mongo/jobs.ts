import type { Acceptance, JobStore } from '../ports.ts';
import type { JobDraft, JobRecord } from '../records.ts';
import { isDuplicateKey, type Mongo } from './client.ts';
import { dropInputs, removeJobs } from './deletion.ts';
import { type Collections, collections, isTombstone, type JobDocument, toJob } from './documents.ts';
import { endedJob, endJob } from './ending.ts';
import { fence, markAnswered, voidJob } from './fence.ts';
import { createLanes } from './lanes.ts';
import { Overdrawn, post } from './ledger.ts';
import { createLookUp } from './look-up.ts';

export function createJobStore(mongo: Mongo): JobStore {
  // Acceptances of one account all write its balance: side by side they would only collide and be done again.
  const inLane = createLanes();
  const c = collections(mongo.db);
  const byId = createLookUp(c.jobs, '_id');
  return {
    accept: (draft) => inLane(draft.accountId, () => accept(mongo, c, draft)),
    fence: (jobId) => fence(c, jobId),
    void: (jobId) => voidJob(mongo, c, jobId),
    markAnswered: (jobId) => markAnswered(c, jobId),

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
    fail: (jobId, end) => endJob(mongo, c, jobId, { status: 'failed', ...end }),
    ended: (jobId) => endedJob(c, jobId),
    remove: (jobIds) => removeJobs(mongo, c, jobIds),
    dropInputs: (jobIds) => dropInputs(mongo, c, jobIds),
  };
}

async function accept(mongo: Mongo, c: Collections, draft: JobDraft): Promise<Acceptance> {
  const { jobId, accountId, keyId, bodyDigest, idempotencyKey, imagesCharged } = draft;
  const createdAt = new Date();
  try {
    await mongo.transaction(async (session) => {
      await c.jobs.insertOne(toDocument(draft, createdAt), { session });
      if (idempotencyKey !== null)
        await c.idempotency.insertOne(
          { _id: jobId, keyId, key: idempotencyKey, bodyDigest, createdAt },
          { session },
        );
      const charge = { id: `charge:${jobId}`, accountId, kind: 'charge' as const, jobId };
      await post(c, session, { ...charge, delta: -imagesCharged }, createdAt);
    });
    return { outcome: 'accepted', jobId, bodyDigest };
  } catch (error) {
    if (error instanceof Overdrawn) return { outcome: 'insufficient_credits' };
    if (isDuplicateKey(error)) return alreadyDecided(c, draft);
    throw error;
  }
}

/** A repetition of an acceptance finds what the first one left, or the job that holds the key. */
async function alreadyDecided(c: Collections, draft: JobDraft): Promise<Acceptance> {
  const { jobId, keyId, bodyDigest, idempotencyKey } = draft;
  const own = await c.jobs.findOne({ _id: jobId });
  if (own !== null)
    return isTombstone(own) ? { outcome: 'voided', jobId } : { outcome: 'accepted', jobId, bodyDigest };
  const row = await c.idempotency.findOne({ keyId, key: idempotencyKey ?? '' });
  if (row === null)
    throw new Error(`The idempotency row that refused job ${jobId} is gone; accept it again.`);
  return { outcome: 'existing', jobId: row._id, bodyDigest: row.bodyDigest };
}

/** What a client may read: neither a deleted nor a voided job. */
function readable(job: JobDocument | null): JobRecord | undefined {
  return job === null || isTombstone(job) || job.status === 'deleted' ? undefined : toJob(job);
}

function toDocument(draft: JobDraft, createdAt: Date): JobDocument {
  const { jobId, input, idempotencyKey: _key, bodyDigest: _digest, ...kept } = draft;
  return {
    _id: jobId,
    ...kept,
    status: 'processing',
    inputs: [input],
    results: [],
    error: null,
    createdAt,
    completedAt: null,
    processingMs: null,
  };
}
