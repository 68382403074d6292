import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createSweepActivities, type SweepBatch } from '../../activities/sweep.ts';
import { deliveryIdOf } from '../../stores/delivery.ts';
import { ImageStoreUnavailable } from '../../stores/images.ts';
import type { JobRecord } from '../../stores/records.ts';
import { createFakeImageStore } from '../fakes/images.ts';
import { createFakeStores } from '../fakes/stores.ts';
import { draftOf, newClient } from '../stores/under-test.ts';

const DAY_MS = 24 * 3_600_000;
const BROKEN = new Error('It is broken.');

/** The steps of a sweep over records in memory; what is put into `broken` by its id can't be changed any more. */
async function stage() {
  const stores = createFakeStores();
  const images = createFakeImageStore('http://results.test');
  const broken = new Set<string>();
  const guard = async (...ids: string[]) => {
    if (ids.some((id) => broken.has(id))) throw BROKEN;
  };
  const { jobs } = stores;
  const guarded: typeof stores = {
    ...stores,
    jobs: {
      ...jobs,
      fail: (id, end) => guard(id).then(() => jobs.fail(id, end)),
      remove: (ids) => guard(...ids).then(() => jobs.remove(ids)),
      dropInputs: (ids) => guard(...ids).then(() => jobs.dropInputs(ids)),
    },
  };
  const workflows = {
    isOpen: (id: string) => guard(id).then(() => false),
    forget: (id: string) => guard(id).then(() => true),
  };
  const retention = { lostJobMs: -1000, batch: 3 };
  const steps = createSweepActivities({ stores: guarded, images, workflows, retention });
  const client = await newClient(stores);

  /** Jobs in the state, created so long ago that every rule on them applies. */
  async function jobsThatAre(status: JobRecord['status'], count: number): Promise<string[]> {
    const drafts = Array.from({ length: count }, () => draftOf(client));
    for (const draft of drafts) {
      const { jobId } = draft;
      await jobs.accept(draft);
      if (status === 'failed') await jobs.fail(jobId, { error: 'No.', processingMs: null });
      if (status === 'completed') await jobs.complete(jobId, { results: [], processingMs: 1 });
      Object.assign(stores.books.jobs.get(jobId) ?? {}, { createdAt: new Date(Date.now() - 400 * DAY_MS) });
    }
    return drafts.map(({ jobId }) => jobId);
  }
  const statusOf = (jobId: string) => stores.books.jobs.get(jobId)?.status;
  return { stores, images, broken, steps, client, jobsThatAre, statusOf };
}

/** All pieces of a step, and what they come to. */
async function run(step: (after: string) => Promise<SweepBatch>) {
  const problems: string[] = [];
  const counts: Record<string, number> = {};
  let after: string | null = '';
  for (let pieces = 0; after !== null; pieces += 1) {
    expect(pieces).toBeLessThan(100);
    const batch: SweepBatch = await step(after);
    problems.push(...(batch.problems ?? []));
    for (const [name, count] of Object.entries(batch.counts)) counts[name] = (counts[name] ?? 0) + count;
    after = batch.next;
  }
  return { counts, problems };
}

const told = (...ids: string[]) => ids.map((id) => `${id}: ${BROKEN.message}`).sort();

describe('what keeps failing in a sweep holds up nothing behind it', () => {
  test('a lost job that cannot be refunded, and one whose workflow cannot be looked at', async () => {
    const { steps, broken, jobsThatAre, statusOf, stores } = await stage();
    const lost = (await jobsThatAre('processing', 5)).sort();
    const [first = '', second = '', ...others] = lost;
    broken.add(first).add(stores.books.jobs.get(second)?.workflowId ?? '');
    const { counts, problems } = await run(steps.refundLostJobs);
    expect(counts).toEqual({ refunded: 3, failed: 2 });
    expect(problems.sort()).toEqual(told(first, second));
    expect(lost.map(statusOf)).toEqual(['processing', 'processing', 'failed', 'failed', 'failed']);
    broken.clear();
    expect((await run(steps.refundLostJobs)).counts).toEqual({ refunded: 2, failed: 0 });
    expect(others.map(statusOf)).toEqual(['failed', 'failed', 'failed']);
  });

  test('a webhook whose workflow cannot be looked at', async () => {
    const { steps, broken, jobsThatAre, stores, client } = await stage();
    const jobIds = await jobsThatAre('completed', 3);
    for (const jobId of jobIds) {
      const delivery = { id: deliveryIdOf(jobId), jobId, type: 'job.completed', target: 'account' } as const;
      await stores.deliveries.plan({ ...delivery, ...client, url: 'https://a.example/', round: 'first' });
    }
    const [stuck = ''] = jobIds;
    broken.add(stores.books.jobs.get(stuck)?.workflowId ?? '');
    const { webhooks, problems, counts } = await steps.takeUpLostWebhooks('');
    expect(webhooks?.map(({ jobId }) => jobId).sort()).toEqual(jobIds.slice(1).sort());
    expect(problems).toEqual(told(deliveryIdOf(stuck)));
    expect(counts).toEqual({ takenUp: 2, failed: 1 });
  });

  test('an expired job that cannot be deleted, be it the oldest', async () => {
    const { steps, broken, jobsThatAre, statusOf, stores, client } = await stage();
    await stores.keys.setRetention(client.keyId, 30);
    const expired = await jobsThatAre('completed', 10);
    const stuck = expired.slice(0, 4);
    for (const id of stuck) broken.add(id);
    const { counts, problems } = await run(steps.deleteExpiredJobs);
    expect(counts).toEqual({ deleted: 6, failed: 4 });
    expect(problems.sort()).toEqual(told(...stuck));
    expect(expired.slice(4).map(statusOf)).toEqual(Array.from({ length: 6 }, () => 'deleted'));
  });

  test('a failed job that cannot lose its input', async () => {
    const { steps, broken, jobsThatAre, stores } = await stage();
    const failed = await jobsThatAre('failed', 10);
    const stuck = failed.slice(0, 4);
    for (const id of stuck) broken.add(id);
    const { counts, problems } = await run(steps.dropFailedInputs);
    expect(counts).toEqual({ inputsDropped: 6, failed: 4 });
    expect(problems.sort()).toEqual(told(...stuck));
    const left = failed.filter((id) => (stores.books.jobs.get(id)?.inputs.length ?? 0) > 0);
    expect(left).toEqual(stuck);
  });

  test('a workflow that cannot be deleted', async () => {
    const { steps, broken, stores } = await stage();
    for (const id of ['job:a', 'job:b', 'job:c']) stores.books.histories.add(id);
    broken.add('job:a');
    const { counts, problems } = await run(steps.forgetWorkflows);
    expect(counts).toEqual({ forgotten: 2, failed: 1 });
    expect(problems).toEqual(told('job:a'));
    expect([...stores.books.histories]).toEqual(['job:a']);
  });

  test('images that cannot be removed, more of them than one page has', async () => {
    const { images, stores } = await stage();
    const stuck = Array.from({ length: 1000 }, (_, n) => ({ bucket: 'inputs' as const, key: `a-${n}` }));
    await stores.removals.owe([...stuck, { bucket: 'inputs', key: 'b' }]);
    const remove: typeof images.remove = async (refs) =>
      refs.filter(({ key }) => key !== 'b').map((ref) => ({ ref, reason: 'kept' }));
    const workflows = { isOpen: async () => false, forget: async () => true };
    const steps = createSweepActivities({ stores, images: { ...images, remove }, workflows });
    expect((await run(steps.removeOwedImages)).counts).toEqual({ removed: 1, unremoved: 1000 });

    const away = () => Promise.reject(new ImageStoreUnavailable('away'));
    const idle = createSweepActivities({ stores, images: { ...images, remove, list: away }, workflows });
    expect((await idle.removeOwedImages('')).next).toBe(null);
  });

  test('many of them are told of by the first few and their number', async () => {
    const { steps, broken, stores } = await stage();
    for (let n = 0; n < 60; n += 1) {
      const id = `job:${randomUUID()}`;
      stores.books.histories.add(id);
      broken.add(id);
    }
    const { counts, problems = [] } = await steps.forgetWorkflows('');
    expect([counts.failed, problems.length]).toEqual([60, 10]);
  });
});
