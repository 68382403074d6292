import type { JobDraft, JobRecord } from '../../domain/records.ts';
import { type Metrics, NO_METRICS } from '../../telemetry/metrics/metrics.ts';
import type { FailedEnd, JobStore } from '../job-store.ts';
import { acceptAll, restoreJob } from './acceptance.ts';
import { createAccountQueues } from './batches.ts';
import type { Mongo } from './client.ts';
import { dropInputs, removeJobs } from './deletion.ts';
import { collections, toJob } from './documents.ts';
import { cancelUnbegun, endedJob, endJob } from './ending.ts';
import { findJobs, listByIdempotencyKey, usageByTool } from './job-lists.ts';
import { createLookUp } from './queries.ts';
import { fenceJob, recordReturned, voidJob } from './voids.ts';

/** Acceptances of one account share transactions. */
const ACCEPT_QUEUE = { maxBatch: 25, maxWaiting: 200 };
/**
 * Each refund of an account is one transaction. Few may wait, because each occupies a local
 * activity of the worker.
 */
const FAIL_QUEUE = { maxBatch: 1, maxWaiting: 50 };

/** For the API. Rate limits of keys bound the cancellations. */
const CANCEL_QUEUE = { maxBatch: 1, maxWaiting: 1000 };

type FailedJob = FailedEnd & { jobId: string };

export function createJobStore(mongo: Mongo, metrics: Metrics = NO_METRICS): JobStore {
  const c = collections(mongo.db);
  const { onCharged, onEnded, onReversed } = countJobs(metrics);
  // Concurrent changes of one account's balance would conflict and be retried.
  const enqueueAcceptance = createAccountQueues(
    (drafts: JobDraft[]) => acceptAll(mongo, c, drafts, onCharged),
    ACCEPT_QUEUE,
  );
  const enqueueFailure = createAccountQueues(
    (failures: FailedJob[]) => Promise.all(failures.map(fail)),
    FAIL_QUEUE,
  );
  const enqueueCancellation = createAccountQueues(
    (cancellations: FailedJob[]) =>
      Promise.all(cancellations.map((each) => cancelUnbegun(mongo, c, each, onEnded))),
    CANCEL_QUEUE,
  );
  const fail = ({ jobId, counted = false, ...end }: FailedJob) =>
    endJob(mongo, c, jobId, { status: 'failed', ...end }, { counted, onEnded });
  const byId = createLookUp(c.jobs, '_id');
  const find: JobStore['find'] = async (accountId, jobId) => {
    const job = await byId(jobId);
    return job?.accountId === accountId && job.status !== 'deleted' ? toJob(job) : undefined;
  };
  return {
    accept: (draft) => enqueueAcceptance(draft.accountId, draft),
    restore: (draft, lost, isStored) => restoreJob(mongo, c, draft, lost, isStored),
    fence: (jobId, overdrawn) => fenceJob(c, jobId, overdrawn),
    void: (jobId, requestId) => voidJob(mongo, c, jobId, requestId, onReversed),
    recordReturned: (jobId, requestId) => recordReturned(c, jobId, requestId),

    async findByIdempotencyKey(keyId, key) {
      const row = await c.idempotency.findOne({ keyId, key });
      return row === null ? undefined : { jobId: row._id, bodyDigest: row.bodyDigest };
    },

    find,

    async get(jobId) {
      const job = await c.jobs.findOne({ _id: jobId, accountId: { $exists: true } });
      return job === null ? undefined : toJob(job);
    },

    list: (accountId, limit, filter) => findJobs(c, accountId, limit, filter),
    listByIdempotencyKey: (accountId, key) => listByIdempotencyKey(c, accountId, key),
    usage: (accountId, from, until) => usageByTool(c, accountId, from, until),

    complete: (jobId, end) => endJob(mongo, c, jobId, { status: 'completed', ...end }, { onEnded }),
    async fail(jobId, end) {
      const job = await c.jobs.findOne({ _id: jobId }, { projection: { accountId: 1 } });
      return enqueueFailure(job?.accountId ?? jobId, { jobId, ...end });
    },
    async cancel(accountId, jobId, end) {
      if ((await find(accountId, jobId)) === undefined) return undefined;
      const cancelled = await enqueueCancellation(accountId, { jobId, ...end });
      if (cancelled === 'begun') return cancelled;
      const job = await find(accountId, jobId);
      return job && { job, cancelled };
    },
    ended: (jobId) => endedJob(c, jobId),
    remove: (jobIds) => removeJobs(mongo, c, jobIds),
    dropInputs: (jobIds) => dropInputs(mongo, c, jobIds),
  };
}

/**
 * Counts what each transaction has committed. It misses a commit if the response is lost or the
 * process dies before it counts. The ledger is the truth.
 */
function countJobs(metrics: Metrics) {
  return {
    onCharged(drafts: readonly JobDraft[]): void {
      const images = drafts.reduce((sum, { imagesCharged }) => sum + imagesCharged, 0);
      metrics.add('imagejob_images_charged_total', {}, images);
    },

    onEnded({ tool, status, generator = 'none', imagesCharged, processingMs }: JobRecord): void {
      metrics.add('imagejob_jobs_total', { tool, generator, end: status });
      if (status === 'failed')
        metrics.add('imagejob_images_refunded_total', { cause: 'failed' }, imagesCharged);
      else metrics.observe('imagejob_render_seconds', { generator }, (processingMs ?? 0) / 1000);
    },

    onReversed: (images: number): void =>
      metrics.add('imagejob_images_refunded_total', { cause: 'voided' }, images),
  };
}
