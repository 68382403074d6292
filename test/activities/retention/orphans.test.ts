import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { RetentionBatch } from '../../../activities/retention/page.ts';
import type { RetentionRules } from '../../../activities/retention/rules.ts';
import { createRetentionActivities } from '../../../activities/retention/steps.ts';
import { markOf } from '../../../lib/domain/installation.ts';
import type { ObjectRef } from '../../../lib/domain/records.ts';
import { FAILURES } from '../../../lib/protocol/failure-types.ts';
import { ImageStoreUnavailable } from '../../../lib/stores/image-store.ts';
import { createFakeImageStore } from '../../fakes/images.ts';
import { newInstallation } from '../../fakes/installation.ts';
import { createFakeStores } from '../../fakes/stores.ts';
import { draftOf, newClient } from '../../setup/records.ts';

const DAY_MS = 24 * 3_600_000;
const workflows = { isOpen: async () => true, deleteHistory: async () => true };

/** An installation over fakes. `settings.confirmed` stands for `sweep run --confirm`. */
async function openInstallation(rules: Partial<RetentionRules> = {}) {
  const stores = createFakeStores();
  const images = createFakeImageStore();
  const id = await newInstallation(stores, images);
  const client = await newClient(stores);
  await stores.packs.add({ accountId: client.accountId, images: 100_000, reference: null });

  /** Stores a result that was written `ageDays` ago. */
  async function store(bucket: ObjectRef['bucket'], ageDays: number): Promise<ObjectRef> {
    const ref = { bucket, key: `${client.accountId}/${randomUUID()}.png` };
    await (bucket === 'inputs' ? images.putInput : images.putResult)(ref.key, Buffer.from('x'), 'image/png');
    Object.assign(images.objects.get(`${bucket}/${ref.key}`) ?? {}, {
      lastModified: new Date(Date.now() - ageDays * DAY_MS),
    });
    return ref;
  }
  async function completedJob(result: ObjectRef): Promise<string> {
    const draft = draftOf(client);
    await stores.jobs.accept(draft);
    await stores.jobs.complete(draft.jobId, { results: [result], processingMs: 1 });
    return draft.jobId;
  }
  const results = (count: number, ageDays = 400) =>
    Promise.all(Array.from({ length: count }, () => store('results', ageDays)));
  const stored = (bucket: ObjectRef['bucket']) => images.list(bucket, '', 10_000);
  const count = async (bucket: ObjectRef['bucket'] = 'results') => (await stored(bucket)).found.length;
  const sweep = (step: StepName, confirmed = false) =>
    run(createRetentionActivities({ stores, images, workflows, retention: rules })[step], confirmed);
  /** Lets the orphans seem to have been seen earlier. */
  const age = (days: number) => {
    for (const row of stores.books.orphans.values())
      row.since = new Date(row.since.getTime() - days * DAY_MS);
  };
  return { stores, images, id, client, store, completedJob, results, count, sweep, age };
}

type StepName = 'removeQueuedImages' | 'removeOrphanedInputs' | 'removeOrphanedResults';
type Step = (after: string, options?: { confirmed: boolean }) => Promise<RetentionBatch>;

/** Runs all batches of a step. @returns the sums */
async function run(step: Step, confirmed: boolean) {
  const counts: Record<string, number> = {};
  let after: string | null = '';
  for (let batches = 0; after !== null; batches += 1) {
    expect(batches).toBeLessThan(100);
    const batch: RetentionBatch = await step(after, { confirmed });
    for (const [name, value] of Object.entries(batch.counts)) counts[name] = (counts[name] ?? 0) + value;
    after = batch.next;
  }
  return counts;
}

describe('a result without a job', () => {
  test('is recorded when it is a week old, and removed when it is still there a month later', async () => {
    const { results, count, sweep, age, stores } = await openInstallation();
    await results(3);
    await results(2, 6);
    expect(await sweep('removeOrphanedResults')).toEqual({ orphans: 3, removed: 0, unremoved: 0 });
    expect(stores.books.orphans.size).toBe(3);
    age(29);
    expect(await sweep('removeOrphanedResults')).toMatchObject({ orphans: 3, removed: 0 });
    age(2);
    expect(await sweep('removeOrphanedResults')).toMatchObject({ removed: 3 });
    expect([await count(), stores.books.orphans.size]).toEqual([2, 0]);
  });

  test('is forgotten when a job gets it, also in the last moment', async () => {
    const { results, completedJob, count, sweep, age, stores } = await openInstallation();
    const [early, late] = await results(2);
    if (early === undefined || late === undefined) throw new Error('no results');
    await sweep('removeOrphanedResults');
    age(31);
    await completedJob(early);
    const { due } = stores.orphans;
    stores.orphans.due = async (...args) => {
      await completedJob(late);
      return due(...args);
    };
    expect(await sweep('removeOrphanedResults')).toMatchObject({ removed: 0 });
    expect([await count(), stores.books.orphans.size]).toEqual([2, 0]);
  });

  test('is forgotten when it is gone', async () => {
    const { results, sweep, images, stores } = await openInstallation();
    const refs = await results(2);
    await sweep('removeOrphanedResults');
    await images.remove(refs.slice(0, 1));
    await sweep('removeOrphanedResults');
    expect([...stores.books.orphans.values()].map(({ key }) => key)).toEqual([refs[1]?.key]);
  });
});

test('an input without a job is kept for a week after it was seen, so that its job can be recovered', async () => {
  const { store, sweep, age, count } = await openInstallation();
  await store('inputs', 2);
  await sweep('removeOrphanedInputs');
  age(6);
  expect(await sweep('removeOrphanedInputs')).toMatchObject({ removed: 0 });
  age(2);
  expect(await sweep('removeOrphanedInputs')).toMatchObject({ removed: 1 });
  expect(await count('inputs')).toBe(0);
});

describe('too many orphans', () => {
  const FEW = { orphansAlways: 3, orphanShare: 0.1 };
  const tooMany = { type: FAILURES.too_many_orphans.type, nonRetryable: true };

  test('are not removed, however old: the step fails, and the metric tells', async () => {
    const { results, completedJob, count, sweep, age, stores } = await openInstallation(FEW);
    for (const result of await results(6)) await completedJob(result);
    await results(4);
    await expect(sweep('removeOrphanedResults')).rejects.toMatchObject(tooMany);
    age(400);
    await expect(sweep('removeOrphanedResults')).rejects.toMatchObject(tooMany);
    expect(await count()).toBe(10);
    expect(await stores.settings.removalsHeld()).toEqual(['results']);
  });

  test('are counted in the whole bucket, more than a page of it, before the first is removed', async () => {
    const { results, completedJob, count, sweep, age } = await openInstallation(FEW);
    for (const result of await results(1500)) await completedJob(result);
    await results(149);
    await sweep('removeOrphanedResults');
    age(31);
    const [one] = await results(30);
    if (one === undefined) throw new Error('no result');
    await expect(sweep('removeOrphanedResults')).rejects.toMatchObject(tooMany);
    expect(await count()).toBe(1679);
  });

  test('are removed when an operator has agreed to it and their month is over', async () => {
    const { results, count, sweep, age, stores } = await openInstallation(FEW);
    await results(10);
    await expect(sweep('removeOrphanedResults')).rejects.toMatchObject(tooMany);
    expect(await sweep('removeOrphanedResults', true)).toMatchObject({ orphans: 10, removed: 0 });
    expect(await stores.settings.removalsHeld()).toEqual([]);
    age(31);
    await results(4);
    await expect(sweep('removeOrphanedResults')).rejects.toMatchObject(tooMany);
    expect(await sweep('removeOrphanedResults', true)).toMatchObject({ removed: 10 });
    expect(await count()).toBe(4);
  });

  test('of a small installation are few enough below an absolute number', async () => {
    const { results, sweep, age } = await openInstallation();
    await results(100);
    await sweep('removeOrphanedResults');
    age(31);
    expect(await sweep('removeOrphanedResults')).toMatchObject({ removed: 100 });
  });

  test('a step that is repeated after any of its batches counts the same', async () => {
    const { results, completedJob, stores, images } = await openInstallation();
    for (const result of await results(1100)) await completedJob(result);
    await results(5);
    const { removeOrphanedResults: step } = createRetentionActivities({ stores, images, workflows });
    const first = await step('', { confirmed: false });
    const second = await step(first.next ?? '', { confirmed: false });
    expect(await step('', { confirmed: false })).toEqual(first);
    expect(await step(first.next ?? '', { confirmed: false })).toEqual(second);
  });
});

describe.each<StepName>(['removeQueuedImages', 'removeOrphanedInputs', 'removeOrphanedResults'])(
  '%s',
  (step) => {
    const refused = { type: FAILURES.wrong_installation.type, nonRetryable: true };

    async function withWork() {
      const installation = await openInstallation({ orphanedInputKeptMs: -1, orphanedResultKeptMs: -1 });
      const queued = [await installation.store('inputs', 400), await installation.store('results', 400)];
      await installation.stores.removals.enqueue(queued);
      const held = () => installation.stores.settings.removalsHeld();
      return { ...installation, held, objects: () => installation.images.objects.size };
    }

    test.each<[string, (at: Awaited<ReturnType<typeof withWork>>) => Promise<void>]>([
      ['MongoDB is another one', ({ stores }) => stores.settings.setInstallation(randomUUID())],
      [
        'MongoDB is empty',
        async ({ stores }) => void Object.assign(stores.books, { installation: undefined }),
      ],
      ['a bucket is another one', ({ images }) => images.setMark('results', markOf(randomUUID(), 'results'))],
      ['a bucket has no mark', async ({ images }) => void images.objects.delete('inputs/.installation')],
      ['a bucket has some other text', ({ images }) => images.setMark('inputs', '<html>')],
      ['the buckets are exchanged', ({ images, id }) => images.setMark('inputs', markOf(id, 'results'))],
    ])('removes nothing when %s', async (_, change) => {
      const at = await withWork();
      await change(at);
      const before = at.objects();
      await expect(at.sweep(step, true)).rejects.toMatchObject(refused);
      expect([at.objects(), await at.held()]).toEqual([before, ['installation']]);
    });

    test('removes nothing while the mark cannot be read, and is tried again', async () => {
      const at = await withWork();
      const { mark } = at.images;
      at.images.mark = () => Promise.reject(new ImageStoreUnavailable('down'));
      const before = at.objects();
      await expect(at.sweep(step)).rejects.toThrow('down');
      expect([at.objects(), await at.held()]).toEqual([before, ['installation']]);
      at.images.mark = mark;
      await at.sweep(step);
      expect(at.objects()).toBeLessThan(before);
      expect(await at.held()).toEqual([]);
    });
  },
);
