import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { RetentionBatch } from '../../../activities/retention/page.ts';
import { createRetentionActivities } from '../../../activities/retention/steps.ts';
import type { JobRecord } from '../../../lib/domain/records.ts';
import { ImageStoreUnavailable } from '../../../lib/stores/image-store.ts';
import { createFakeImageStore } from '../../fakes/images.ts';
import { newInstallation } from '../../fakes/installation.ts';
import { createFakeStores } from '../../fakes/stores.ts';
import { draftOf, newClient } from '../../setup/records.ts';

const DAY_MS = 24 * 3_600_000;
const BROKEN = new Error('It is broken.');

/** The retention steps over fakes. Changes to an object whose id is in `broken` fail. */
async function openStage() {
  const stores = createFakeStores();
  const images = createFakeImageStore('http://results.test');
  await newInstallation(stores, images);
  const broken = new Set<string>();
  const guard = async (...ids: string[]) => {
    if (ids.some((id) => broken.has(id))) throw BROKEN;
  };
  const { jobs } = stores;
  const guarded: typeof stores = {
    ...stores,
    jobs: {
      ...jobs,
      remove: (ids) => guard(...ids).then(() => jobs.remove(ids)),
      dropInputs: (ids) => guard(...ids).then(() => jobs.dropInputs(ids)),
    },
  };
  const workflows = { deleteHistory: (id: string) => guard(id).then(() => true) };
  const retention = { batch: 3 };
  const steps = createRetentionActivities({ stores: guarded, images, workflows, retention });
  const client = await newClient(stores);

  /** Jobs with this status, old enough for every retention rule. */
  async function createJobs(status: JobRecord['status'], count: number): Promise<string[]> {
    const drafts = Array.from({ length: count }, () => draftOf(client));
    for (const draft of drafts) {
      const { jobId } = draft;
      await jobs.accept(draft);
      if (status === 'failed')
        await jobs.fail(jobId, { error: 'No.', failureReason: 'no_result', processingMs: null });
      if (status === 'completed') await jobs.complete(jobId, { results: [], processingMs: 1 });
      Object.assign(stores.books.jobs.get(jobId) ?? {}, { createdAt: new Date(Date.now() - 400 * DAY_MS) });
    }
    return drafts.map(({ jobId }) => jobId);
  }
  const statusOf = (jobId: string) => stores.books.jobs.get(jobId)?.status;
  return { stores, images, broken, steps, client, createJobs, statusOf };
}

/** Runs all batches of a step. @returns the sums */
async function run(step: (after: string) => Promise<RetentionBatch>) {
  const problems: string[] = [];
  const counts: Record<string, number> = {};
  let after: string | null = '';
  for (let batches = 0; after !== null; batches += 1) {
    expect(batches).toBeLessThan(100);
    const batch: RetentionBatch = await step(after);
    problems.push(...(batch.problems ?? []));
    for (const [name, count] of Object.entries(batch.counts)) counts[name] = (counts[name] ?? 0) + count;
    after = batch.next;
  }
  return { counts, problems };
}

const problemsOf = (...ids: string[]) => ids.map((id) => `${id}: ${BROKEN.message}`).sort();

describe('an item that keeps failing does not stop the rest of its step', () => {
  test('an expired job that cannot be deleted, even if it is the oldest', async () => {
    const { steps, broken, createJobs, statusOf, stores, client } = await openStage();
    await stores.keys.setRetention(client.keyId, 30);
    const expired = await createJobs('completed', 10);
    const stuck = expired.slice(0, 4);
    for (const id of stuck) broken.add(id);
    const { counts, problems } = await run(steps.deleteExpiredJobs);
    expect(counts).toEqual({ deleted: 6, failed: 4 });
    expect(problems.sort()).toEqual(problemsOf(...stuck));
    expect(expired.slice(4).map(statusOf)).toEqual(Array.from({ length: 6 }, () => 'deleted'));
  });

  test('a failed job whose input cannot be dropped', async () => {
    const { steps, broken, createJobs, stores } = await openStage();
    const failed = await createJobs('failed', 10);
    const stuck = failed.slice(0, 4);
    for (const id of stuck) broken.add(id);
    const { counts, problems } = await run(steps.dropFailedInputs);
    expect(counts).toEqual({ inputsDropped: 6, failed: 4 });
    expect(problems.sort()).toEqual(problemsOf(...stuck));
    const withInput = failed.filter((id) => (stores.books.jobs.get(id)?.inputs.length ?? 0) > 0);
    expect(withInput).toEqual(stuck);
  });

  test('a workflow that cannot be deleted', async () => {
    const { steps, broken, stores } = await openStage();
    for (const id of ['job:a', 'job:b', 'job:c']) stores.books.histories.add(id);
    broken.add('job:a');
    const { counts, problems } = await run(steps.deleteHistories);
    expect(counts).toEqual({ historiesDeleted: 2, failed: 1 });
    expect(problems).toEqual(problemsOf('job:a'));
    expect([...stores.books.histories]).toEqual(['job:a']);
  });

  test('images that cannot be removed, more than one page of them', async () => {
    const { images, stores } = await openStage();
    const stuck = Array.from({ length: 1000 }, (_, n) => ({ bucket: 'inputs' as const, key: `a-${n}` }));
    await stores.removals.enqueue([...stuck, { bucket: 'inputs', key: 'b' }]);
    const remove: typeof images.remove = async (refs) =>
      refs.filter(({ key }) => key !== 'b').map((ref) => ({ ref, reason: 'locked' }));
    const workflows = { deleteHistory: async () => true };
    const steps = createRetentionActivities({ stores, images: { ...images, remove }, workflows });
    expect((await run(steps.removeQueuedImages)).counts).toEqual({ removed: 1, unremoved: 1000 });

    const list = () => Promise.reject(new ImageStoreUnavailable('down'));
    const withoutStore = createRetentionActivities({
      stores,
      images: { ...images, remove, list },
      workflows,
    });
    expect((await withoutStore.removeQueuedImages('')).next).toBe(null);
  });

  test('many failures are reported by the first ten and their number', async () => {
    const { steps, broken, stores } = await openStage();
    for (let n = 0; n < 60; n += 1) {
      const id = `job:${randomUUID()}`;
      stores.books.histories.add(id);
      broken.add(id);
    }
    const { counts, problems = [] } = await steps.deleteHistories('');
    expect([counts.failed, problems.length]).toEqual([60, 10]);
  });
});
