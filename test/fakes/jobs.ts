import { deliveryIdOf, destinationOf, newDelivery } from '../../lib/domain/delivery.ts';
import { Refused } from '../../lib/domain/errors.ts';
import { countOneMore } from '../../lib/domain/failures.ts';
import { isOpen, unusedResults } from '../../lib/domain/generator-call.ts';
import { type JobRequests, MAX_REQUESTS, withdraw } from '../../lib/domain/job-requests.ts';
import type { Acceptance, JobDraft, JobRecord } from '../../lib/domain/records.ts';
import type { DeletedJob, EndedJob, FailedEnd, JobStore } from '../../lib/stores/job-store.ts';
import { type Books, getOrThrow, idempotencyId, post } from './books.ts';
import { cancelDelivery } from './deliveries.ts';
import { createFakeJobLists } from './job-lists.ts';
import { enqueueRemovals, objectId } from './retention.ts';

export function createFakeJobStore(books: Books): JobStore {
  const callsOf = (jobId: string) => books.calls.get(jobId) ?? [];
  const read = (jobId: string) => structuredClone(books.jobs.get(jobId));
  const readable = (jobId: string) => {
    const job = read(jobId);
    return job?.status === 'deleted' ? undefined : job;
  };
  const end = (jobId: string, set: Partial<JobRecord> & { status: 'completed' | 'failed' }): EndedJob => {
    const job = getOrThrow(books.jobs, 'job', jobId);
    if (job.status === 'processing') {
      Object.assign(job, structuredClone(set), { completedAt: new Date() });
      if (set.status === 'failed') {
        reverseCharge(books, job, 'refund');
        enqueueRemovals(books, unusedResults(callsOf(jobId)));
      }
      const { webhook } = getOrThrow(books.accounts, 'account', job.accountId);
      const destination = destinationOf(job.webhookUrl, webhook.url);
      if (destination !== undefined)
        books.deliveries.set(deliveryIdOf(jobId), newDelivery(job, set.status, destination));
      const { completedAt, processingMs } = job;
      books.listeners.tell(jobId, structuredClone({ completedAt, processingMs, ...set }));
    }
    return withDelivery(jobId);
  };
  const fail = (jobId: string, { counted = false, ...set }: FailedEnd): EndedJob => {
    const { accountId, status } = getOrThrow(books.jobs, 'job', jobId);
    const account = getOrThrow(books.accounts, 'account', accountId);
    if (counted && status === 'processing') account.failures = countOneMore(account.failures, new Date());
    return end(jobId, { status: 'failed', ...set });
  };
  const withDelivery = (jobId: string): EndedJob =>
    structuredClone({
      job: getOrThrow(books.jobs, 'job', jobId),
      delivery: books.deliveries.get(deliveryIdOf(jobId)) ?? null,
      calls: callsOf(jobId),
    });
  return {
    accept: async (draft) => accept(books, draft),
    async restore(draft, { createdAt, end }, isStored) {
      const refs = end?.results ?? [];
      const areStored = await isStored();
      if (!areStored || refs.some((ref) => books.removals.has(objectId(ref)))) return { outcome: 'gone' };
      const isNew = !books.jobs.has(draft.jobId);
      const outcome = accept(books, draft);
      const job = books.jobs.get(draft.jobId);
      if (isNew && job !== undefined)
        Object.assign(job, { createdAt }, end && structuredClone({ ...end, status: 'completed' }));
      for (const ref of [...refs, draft.input]) books.orphans.delete(objectId(ref));
      return outcome;
    },
    void: async (jobId, requestId) => voidJob(books, jobId, requestId),

    async fence(jobId, overdrawn = false) {
      if (!books.jobs.has(jobId) && !books.voided.has(jobId)) books.voided.set(jobId, { overdrawn });
      return read(jobId);
    },

    async recordReturned(jobId, requestId) {
      if (!books.jobs.has(jobId)) return 'voided';
      if (readable(jobId) !== undefined) recordReturned(getOrThrow(books.requests, 'job', jobId), requestId);
      return readable(jobId);
    },

    findByIdempotencyKey: async (keyId, key) =>
      structuredClone(books.idempotency.get(idempotencyId(keyId, key))),

    async find(accountId, jobId) {
      const job = readable(jobId);
      return job?.accountId === accountId ? job : undefined;
    },

    get: async (jobId) => read(jobId),
    ...createFakeJobLists(books),

    complete: async (jobId, set) => end(jobId, { status: 'completed', ...set }),
    fail: async (jobId, set) => fail(jobId, set),
    async cancel(accountId, jobId, set) {
      const job = readable(jobId);
      if (job?.accountId !== accountId) return undefined;
      if (job.status !== 'processing') return { job, cancelled: false };
      if (callsOf(jobId).length > 0 || books.localRenders.has(jobId)) return 'begun';
      return { job: fail(jobId, { ...set, counted: true }).job, cancelled: true };
    },
    async ended(jobId) {
      const ended = withDelivery(jobId);
      return ended.job.status === 'processing' ? undefined : ended;
    },

    remove: async (jobIds) =>
      jobIds.flatMap((id) => {
        const job = books.jobs.get(id);
        return job?.status === 'completed' || job?.status === 'failed'
          ? [remove(books, job, job.status)]
          : [];
      }),

    async dropInputs(jobIds) {
      const failed = jobIds
        .map((id) => books.jobs.get(id))
        .filter((job) => job?.status === 'failed' && job.inputs.length > 0);
      for (const job of failed) if (job !== undefined) enqueueRemovals(books, job.inputs.splice(0));
      return failed.length;
    },
  };
}

function remove(books: Books, job: JobRecord, was: 'completed' | 'failed'): DeletedJob {
  const calls = books.calls.get(job.id) ?? [];
  const objects = [...job.inputs, ...job.results, ...unusedResults(calls, job.results)];
  enqueueRemovals(books, objects);
  books.calls.set(
    job.id,
    calls.map((call) => ({ ...call, error: null, result: null })),
  );
  books.histories.add(job.workflowId);
  cancelDelivery(books, job.id);
  const cleared = { options: {}, warnings: [], webhookUrl: null, error: null, inputs: [], results: [] };
  delete job.failureReason;
  Object.assign(job, cleared, { idempotencyKey: null, status: 'deleted', deleted: { at: new Date(), was } });
  return { id: job.id, objects };
}

function accept(books: Books, draft: JobDraft): Acceptance {
  const { jobId, accountId, bodyDigest, idempotencyKey, keyId, imagesCharged, input, ...stored } = draft;
  const voided = books.voided.get(jobId);
  if (voided !== undefined) return { outcome: voided.overdrawn ? 'insufficient_credits' : 'voided', jobId };
  if (books.jobs.has(jobId)) return { outcome: 'accepted', jobId, bodyDigest };
  const rowId = idempotencyKey === null ? undefined : idempotencyId(keyId, idempotencyKey);
  const existing = rowId === undefined ? undefined : books.idempotency.get(rowId);
  if (existing !== undefined) return { outcome: 'existing', ...existing };
  try {
    post(books, { id: `charge:${jobId}`, accountId, kind: 'charge', jobId, delta: -imagesCharged });
  } catch (error) {
    if (error instanceof Refused) return { outcome: 'insufficient_credits', jobId };
    throw error;
  }
  const job = { id: jobId, accountId, keyId, imagesCharged, idempotencyKey, ...structuredClone(stored) };
  books.jobs.set(jobId, {
    ...job,
    status: 'processing',
    inputs: [input],
    results: [],
    error: null,
    createdAt: new Date(),
    completedAt: null,
    processingMs: null,
  });
  books.requests.set(jobId, { answered: [jobId], withdrawn: [] });
  if (rowId !== undefined) books.idempotency.set(rowId, { jobId, bodyDigest });
  return { outcome: 'accepted', jobId, bodyDigest };
}

function recordReturned(job: JobRequests, requestId: string): void {
  if (job.withdrawn.includes(requestId)) throw new Error(`Request ${requestId} was withdrawn.`);
  if (job.answered.includes(requestId)) return;
  job.answered = [...job.answered, requestId].slice(0, MAX_REQUESTS);
}

function voidJob(books: Books, jobId: string, requestId: string): boolean {
  const job = books.jobs.get(jobId);
  if (job !== undefined) {
    if (job.status === 'deleted') return false;
    const remaining = withdraw(getOrThrow(books.requests, 'job', jobId), requestId);
    if (remaining !== undefined) {
      books.requests.set(jobId, remaining);
      return false;
    }
    books.jobs.delete(jobId);
    books.listeners.tell(jobId, 'gone');
    for (const [rowId, row] of books.idempotency) if (row.jobId === jobId) books.idempotency.delete(rowId);
    const calls = books.calls.get(jobId) ?? [];
    if (!calls.some(isOpen)) books.calls.delete(jobId);
    enqueueRemovals(books, [...job.inputs, ...job.results, ...unusedResults(calls, job.results)]);
    cancelDelivery(books, jobId);
    if (job.status !== 'failed') reverseCharge(books, job, 'void');
  }
  books.voided.set(jobId, { overdrawn: false });
  return true;
}

function reverseCharge(books: Books, job: JobRecord, kind: 'refund' | 'void'): void {
  const { id: jobId, accountId, imagesCharged } = job;
  post(books, { id: `${kind}:${jobId}`, accountId, kind, jobId, delta: imagesCharged });
  if (getOrThrow(books.accounts, 'account', accountId).status === 'closed')
    post(books, { id: `forfeit:${jobId}`, accountId, kind: 'forfeit', delta: -imagesCharged });
}
