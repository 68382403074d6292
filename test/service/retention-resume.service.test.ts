import { randomUUID } from 'node:crypto';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ImageStoreUnavailable } from '../../lib/stores/image-store.ts';
import { collections, type JobDocument } from '../../lib/stores/mongo/documents.ts';
import { startRetention } from '../../operator/runs.ts';
import { closers } from '../setup/closers.ts';
import { eventually } from '../setup/eventually.ts';
import { type Service, startService } from '../setup/service.ts';

const JOBS = 230;
const DAY_MS = 24 * 3_600_000;
const open = closers();
let service: Service;
let storeIsDown = false;

beforeAll(async () => {
  service = open.use(await startService());
  const { images } = service;
  const unreliable: typeof images = {
    ...images,
    remove: async (refs) =>
      storeIsDown ? refs.map((ref) => ({ ref, reason: 'down' })) : images.remove(refs),
    list: (...args) =>
      storeIsDown ? Promise.reject(new ImageStoreUnavailable('down')) : images.list(...args),
  };
  open.use(await service.startWorker({ images: unreliable, retention: { batch: 2 } }));
});
afterAll(() => open.close());

const startRun = async () => {
  const { workflowId, runId } = await startRetention(
    service.temporal,
    service.config.temporal.taskQueuePrefix,
  );
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
      idempotencyKey: null,
      answered: [id],
      withdrawn: [],
      createdAt,
      completedAt: createdAt,
      processingMs: 1,
    };
  });
  await collections(service.mongo.db).jobs.insertMany(documents);
  return accountId;
}

/** The second argument of the latest run: the progress of the run before it. */
async function progressOf(handle: WorkflowHandle): Promise<unknown> {
  const { events } = await handle.fetchHistory();
  const [, progress] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return progress && defaultPayloadConverter.fromPayload(progress);
}

const deletedOf = (accountId: string) =>
  collections(service.mongo.db).jobs.countDocuments({ accountId, status: 'deleted' });

test('a cancelled retention run keeps what it has done; the next one does the rest and continues as new', async () => {
  const accountId = await expiredJobs(JOBS);
  const first = await startRun();
  await eventually(async () => expect(await deletedOf(accountId)).toBeGreaterThan(4));
  await first.handle.cancel();
  await expect(first.handle.result()).rejects.toThrow(WorkflowFailedError);
  const deletedBefore = await deletedOf(accountId);
  expect(deletedBefore).toBeLessThan(JOBS);

  const second = await startRun();
  expect(await second.handle.result()).toMatchObject({ deleted: JOBS - deletedBefore, removed: JOBS });
  expect(await deletedOf(accountId)).toBe(JOBS);
  expect((await second.handle.describe()).runId).not.toBe(second.runId);
  expect(await progressOf(second.handle)).toMatchObject({ step: 'deleteExpiredJobs' });
}, 120_000);

test('a retention run without the image store deletes the jobs and leaves their images queued', async () => {
  const accountId = await expiredJobs(3);
  storeIsDown = true;
  const { handle } = await startRun();
  await eventually(async () => expect(await deletedOf(accountId)).toBe(3));
  expect((await service.stores.removals.pending('', 10)).refs).toHaveLength(3);
  storeIsDown = false;
  expect(await handle.result()).toMatchObject({ deleted: 3, unremoved: expect.any(Number) });
  expect(await (await startRun()).handle.result()).toMatchObject({ deleted: 0 });
  expect((await service.stores.removals.pending('', 10)).refs).toEqual([]);
});
