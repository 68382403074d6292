import { randomUUID } from 'node:crypto';
import { WorkflowFailedError } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSweep } from '../../operator/sweep.ts';
import { ImageStoreUnavailable } from '../../stores/images.ts';
import { collections, type JobDocument } from '../../stores/mongo/documents.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { type Service, startService } from '../setup/service.ts';

const JOBS = 230;
const DAY_MS = 24 * 3_600_000;
const open = closers();
let service: Service;
let storeIsAway = false;

beforeAll(async () => {
  service = open.use(await startService());
  const { images } = service;
  const shaky: typeof images = {
    ...images,
    remove: async (refs) =>
      storeIsAway ? refs.map((ref) => ({ ref, reason: 'away' })) : images.remove(refs),
    list: (...args) =>
      storeIsAway ? Promise.reject(new ImageStoreUnavailable('away')) : images.list(...args),
  };
  open.use(await service.startWorker({ images: shaky, retention: { batch: 2 } }));
});
afterAll(() => open.close());

const sweep = async () => {
  const { workflowId, runId } = await startSweep(service.temporal, service.config.temporal.taskQueuePrefix);
  return { runId, handle: service.temporal.workflow.getHandle(workflowId) };
};

async function expiredJobs(count: number): Promise<string> {
  const { accountId } = await service.client();
  const { keyId } = await service.keyOf(accountId, 1);
  const createdAt = new Date(Date.now() - 2 * DAY_MS);
  const documents = Array.from({ length: count }, (): JobDocument => {
    const id = randomUUID();
    return {
      _id: id,
      accountId,
      keyId,
      tool: 'declutter',
      status: 'completed',
      imagesCharged: 1,
      options: {},
      warnings: [],
      webhookUrl: null,
      workflowId: `job:${id}`,
      inputs: [{ bucket: 'inputs', key: `${accountId}/${id}.jpeg` }],
      results: [],
      error: null,
      createdAt,
      completedAt: createdAt,
      processingMs: 1,
    };
  });
  await collections(service.mongo.db).jobs.insertMany(documents);
  return accountId;
}

const deletedOf = (accountId: string) =>
  collections(service.mongo.db).jobs.countDocuments({ accountId, status: 'deleted' });

test('a sweep that is cancelled keeps what it did; the next one does the rest, over more than one run', async () => {
  const accountId = await expiredJobs(JOBS);
  const first = await sweep();
  await eventually(async () => expect(await deletedOf(accountId)).toBeGreaterThan(4));
  await first.handle.cancel();
  await expect(first.handle.result()).rejects.toThrow(WorkflowFailedError);
  const before = await deletedOf(accountId);
  expect(before).toBeLessThan(JOBS);

  const second = await sweep();
  expect(await second.handle.result()).toMatchObject({ deleted: JOBS - before, removed: JOBS });
  expect(await deletedOf(accountId)).toBe(JOBS);
  expect((await second.handle.describe()).runId).not.toBe(second.runId);
}, 120_000);

test('a sweep with the image store away deletes the jobs and owes their images', async () => {
  const accountId = await expiredJobs(3);
  storeIsAway = true;
  const { handle } = await sweep();
  await eventually(async () => expect(await deletedOf(accountId)).toBe(3));
  expect((await service.stores.removals.pending('', 10)).refs).toHaveLength(3);
  storeIsAway = false;
  expect(await handle.result()).toMatchObject({ deleted: 3, unremoved: expect.any(Number) });
  expect(await (await sweep()).handle.result()).toMatchObject({ deleted: 0 });
  expect((await service.stores.removals.pending('', 10)).refs).toEqual([]);
});
