import { type Answered, MOST_ANSWERED, withdraw } from '../../stores/answered.ts';
import { deliveryIdOf, destinationOf, newDelivery } from '../../stores/delivery.ts';
import { withOneMore } from '../../stores/failures.ts';
import type { Acceptance, DeletedJob, EndedJob, JobStore } from '../../stores/ports.ts';
import { Refused } from '../../stores/ports.ts';
import type { JobDraft, JobRecord, ObjectRef } from '../../stores/records.ts';
import { type Books, copies, idempotencyId, known, post } from './books.ts';
import { forgetDelivery } from './deliveries.ts';
import { objectId } from './retention.ts';

export function createFakeJobStore(books: Books): JobStore {
  const read = (jobId: string) => structuredClone(books.jobs.get(jobId));
  const readable = (jobId: string) => {
    const job = read(jobId);
    return job?.status === 'deleted' ? undefined : job;
  };
  const end = (jobId: string, set: Partial<JobRecord> & { status: 'completed' | 'failed' }): EndedJob => {
    const job = known(books.jobs, 'job', jobId);
    if (job.status === 'processing') {
      Object.assign(job, structuredClone(set), { completedAt: new Date() });
      if (set.status === 'failed') giveBack(books, job, 'refund');
      const to = destinationOf(job, known(books.accounts, 'account', job.accountId).webhook);
      if (to !== undefined) books.deliveries.set(deliveryIdOf(jobId), newDelivery(job, set.status, to));
    }
    return asItStands(jobId);
  };
  const asItStands = (jobId: string): EndedJob =>
    structuredClone({
      job: known(books.jobs, 'job', jobId),
      delivery: books.deliveries.get(deliveryIdOf(jobId)) ?? null,
    });
  return {
    accept: async (draft) => accept(books, draft),
    void: async (jobId, requestId) => voidJob(books, jobId, requestId),

    async fence(jobId, unpaid = false) {
      if (!books.jobs.has(jobId) && !books.voided.has(jobId)) books.voided.set(jobId, { unpaid });
      return read(jobId);
    },

    async markAnswered(jobId, requestId) {
      if (!books.jobs.has(jobId)) return 'voided';
      if (readable(jobId) !== undefined) markAnswered(known(books.answered, 'job', jobId), requestId);
      return readable(jobId);
    },

    findByIdempotencyKey: async (keyId, key) =>
      structuredClone(books.idempotency.get(idempotencyId(keyId, key))),

    async find(accountId, jobId) {
      const job = readable(jobId);
      return job?.accountId === accountId ? job : undefined;
    },

    get: async (jobId) => read(jobId),
    list: async (accountId, limit) => copies(books.jobs.values(), accountId).reverse().slice(0, limit),

    complete: async (jobId, set) => end(jobId, { status: 'completed', ...set }),
    async fail(jobId, { clientFault = false, ...set }) {
      const { accountId, status } = known(books.jobs, 'job', jobId);
      const account = known(books.accounts, 'account', accountId);
      if (clientFault && status === 'processing')
        account.failures = withOneMore(account.failures, new Date());
      return end(jobId, { status: 'failed', ...set });
    },
    async ended(jobId) {
      const ended = asItStands(jobId);
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
      for (const job of failed) if (job !== undefined) owe(books, job.inputs.splice(0));
      return failed.length;
    },
  };
}

function remove(books: Books, job: JobRecord, was: 'completed' | 'failed'): DeletedJob {
  const objects = [...job.inputs, ...job.results];
  owe(books, objects);
  books.histories.add(job.workflowId);
  forgetDelivery(books, job.id);
  const gone = { options: {}, warnings: [], webhookUrl: null, error: null, inputs: [], results: [] };
  Object.assign(job, gone, { status: 'deleted', deleted: { at: new Date(), was } });
  return { id: job.id, objects };
}

function owe(books: Books, refs: readonly ObjectRef[]): void {
  for (const ref of refs) books.removals.set(objectId(ref), ref);
}

function accept(books: Books, draft: JobDraft): Acceptance {
  const { jobId, accountId, bodyDigest, idempotencyKey, keyId, imagesCharged, input, ...kept } = draft;
  const voided = books.voided.get(jobId);
  if (voided !== undefined)
    return voided.unpaid ? { outcome: 'insufficient_credits' } : { outcome: 'voided', jobId };
  if (books.jobs.has(jobId)) return { outcome: 'accepted', jobId, bodyDigest };
  const slot = idempotencyKey === null ? undefined : idempotencyId(keyId, idempotencyKey);
  const taken = slot === undefined ? undefined : books.idempotency.get(slot);
  if (taken !== undefined) return { outcome: 'existing', ...taken };
  try {
    post(books, { id: `charge:${jobId}`, accountId, kind: 'charge', jobId, delta: -imagesCharged });
  } catch (error) {
    if (error instanceof Refused) return { outcome: 'insufficient_credits' };
    throw error;
  }
  const job = { id: jobId, accountId, keyId, imagesCharged, ...structuredClone(kept) };
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
  books.answered.set(jobId, { answered: [jobId], withdrawn: [] });
  if (slot !== undefined) books.idempotency.set(slot, { jobId, bodyDigest });
  return { outcome: 'accepted', jobId, bodyDigest };
}

function markAnswered(job: Answered, requestId: string): void {
  if (job.withdrawn.includes(requestId)) throw new Error(`Request ${requestId} has ended.`);
  job.answered = [...job.answered, requestId].slice(0, MOST_ANSWERED);
}

function voidJob(books: Books, jobId: string, requestId: string): boolean {
  const job = books.jobs.get(jobId);
  if (job !== undefined) {
    if (job.status === 'deleted') return false;
    const left = withdraw(known(books.answered, 'job', jobId), requestId);
    if (left !== undefined) {
      books.answered.set(jobId, left);
      return false;
    }
    books.jobs.delete(jobId);
    for (const [slot, row] of books.idempotency) if (row.jobId === jobId) books.idempotency.delete(slot);
    owe(books, [...job.inputs, ...job.results]);
    forgetDelivery(books, jobId);
    if (job.status !== 'failed') giveBack(books, job, 'void');
  }
  books.voided.set(jobId, { unpaid: false });
  return true;
}

function giveBack(books: Books, job: JobRecord, kind: 'refund' | 'void'): void {
  const { id: jobId, accountId, imagesCharged } = job;
  post(books, { id: `${kind}:${jobId}`, accountId, kind, jobId, delta: imagesCharged });
}
