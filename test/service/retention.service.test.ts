import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ObjectRef } from '../../lib/domain/records.ts';
import type { RetentionCounts } from '../../lib/protocol/retention.ts';
import { startRetention } from '../../operator/runs.ts';
import { ended, postJob } from '../setup/client.ts';
import { scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { type Service, startService } from '../setup/service.ts';

const DAY_MS = 24 * 3_600_000;
/** Images without a job are orphans immediately; small batches, so that several are needed. */
const retention = {
  orphanedInputMs: 0,
  orphanedResultMs: 0,
  orphanedInputKeptMs: 0,
  orphanedResultKeptMs: 0,
  batch: 2,
};
let service: Service;
let worker: AsyncDisposable;
let image_base64: string;

beforeAll(async () => {
  service = await startService();
  [worker, image_base64] = await Promise.all([
    service.startWorker({ generators: scriptedGenerators({}), retention }),
    sampleImage(),
  ]);
});
afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});
beforeEach(async () => void (await runRetention()));

type Client = Awaited<ReturnType<Service['client']>>;

async function runRetention(): Promise<RetentionCounts> {
  const { workflowId } = await startRetention(service.temporal, service.config.temporal.taskQueuePrefix);
  return service.temporal.workflow.getHandle(workflowId).result();
}

/** A job that has ended, created `ageDays` ago. */
async function jobOf({ headers }: Pick<Client, 'headers'>, ageDays: number): Promise<string> {
  const created = await postJob(service.app, headers, { tool: 'declutter', image_base64 });
  const { job_id } = await ended(service.app, headers, created.json().job_id);
  await change(job_id, { createdAt: new Date(Date.now() - ageDays * DAY_MS - 1000) });
  return job_id;
}

const change = (jobId: string, set: object) =>
  service.mongo.db.collection<{ _id: string }>('jobs').updateOne({ _id: jobId }, { $set: set });

const statusOf = async (jobId: string) => (await service.stores.jobs.get(jobId))?.status;

async function objectsOf(jobId: string): Promise<ObjectRef[]> {
  const job = await service.stores.jobs.get(jobId);
  return [...(job?.inputs ?? []), ...(job?.results ?? [])];
}

async function stored(): Promise<ObjectRef[]> {
  const buckets = ['inputs', 'results'] as const;
  const pages = await Promise.all(
    buckets.map(async (bucket) =>
      (await service.images.list(bucket)).found.map(({ key }) => ({ bucket, key })),
    ),
  );
  return pages.flat();
}

describe('the retention workflow', () => {
  test('deletes completed and failed jobs of a key after its retention_days, and nothing else', async () => {
    const client = await service.client();
    const key = await service.keyOf(client.accountId, 7);
    const old = await Promise.all([8, 9, 10, 11, 12].map((days) => jobOf(key, days)));
    const [failed = ''] = old;
    await change(failed, { status: 'processing' });
    await service.stores.jobs.fail(failed, { error: 'No.', failureReason: 'no_result', processingMs: 1 });
    const [young, ofOtherKey] = await Promise.all([jobOf(key, 6.9), jobOf(client, 400)]);
    const objects = (await Promise.all(old.map(objectsOf))).flat();
    expect(objects).toHaveLength(10);

    expect(await runRetention()).toMatchObject({ deleted: 5, removed: 10, unremoved: 0, orphans: 0 });
    expect(await Promise.all(old.map(statusOf))).toEqual(Array.from({ length: 5 }, () => 'deleted'));
    expect(await Promise.all([young, ofOtherKey].map(statusOf))).toEqual(['completed', 'completed']);
    const left = await stored();
    expect(objects.filter(({ key }) => left.some((ref) => ref.key === key))).toEqual([]);
    expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);
    expect(await runRetention()).toMatchObject({ deleted: 0, removed: 0 });
  });

  test('uses the current retention_days of the key', async () => {
    const client = await service.client();
    const job = await jobOf(client, 3);
    expect(await runRetention()).toMatchObject({ deleted: 0 });
    await service.stores.keys.setRetention(client.keyId, 3);
    expect(await runRetention()).toMatchObject({ deleted: 1 });
    expect(await statusOf(job)).toBe('deleted');
  });

  test('deletes the inputs of failed jobs after 30 days; the jobs stay readable', async () => {
    const client = await service.client();
    const jobs = await Promise.all([31, 32, 33, 29].map((days) => jobOf(client, days)));
    await Promise.all(jobs.map((id) => change(id, { status: 'failed', error: 'no', results: [] })));
    expect(await runRetention()).toMatchObject({ inputsDropped: 3, deleted: 0 });
    const inputs = await Promise.all(jobs.map(async (id) => (await objectsOf(id)).length));
    expect(inputs).toEqual([0, 0, 0, 1]);
    const read = await service.app.inject({ url: `/api/v1/jobs/${jobs[0]}`, headers: client.headers });
    expect(read.json()).toMatchObject({ status: 'failed', error: 'no' });
    expect(await runRetention()).toMatchObject({ inputsDropped: 0 });
  });

  test('removes images that belong to no job, in both buckets', async () => {
    const client = await service.client();
    const job = await jobOf(client, 0);
    const key = `${client.accountId}/${randomUUID()}.png`;
    await service.images.putInput(key, Buffer.from('x'), 'image/png');
    await service.images.putResult(key, Buffer.from('x'), 'image/png');
    expect(await runRetention()).toMatchObject({ orphans: 2, removed: 2 });
    const left = await stored();
    expect(left).toEqual(expect.arrayContaining(await objectsOf(job)));
    expect(left.filter((ref) => ref.key === key)).toEqual([]);
  });

  test('deletes the workflows of deleted jobs, once they have ended', async () => {
    const client = await service.client();
    const [job, other] = [await jobOf(client, 0), await jobOf(client, 0)];
    await service.stores.jobs.remove([job]);
    const handle = (jobId: string) => service.temporal.workflow.getHandle(`job:${jobId}`);
    await Promise.all([handle(job).result(), handle(other).result()]);
    expect(await runRetention()).toMatchObject({ historiesDeleted: 1 });
    expect((await service.stores.histories.pending('', 10)).workflowIds).toEqual([]);
    expect((await handle(other).describe()).status.name).toBe('COMPLETED');
    expect(await runRetention()).toMatchObject({ historiesDeleted: 0 });
  });

  test('retries removals that failed', async () => {
    const client = await service.client();
    const job = await jobOf(client, 0);
    const objects = await objectsOf(job);
    await service.stores.jobs.remove([job]);
    expect((await service.stores.removals.pending('', 10)).refs).toHaveLength(2);
    expect(await runRetention()).toMatchObject({ removed: 2, unremoved: 0, orphans: 0 });
    expect(await stored()).not.toEqual(expect.arrayContaining(objects));
    expect((await service.stores.removals.pending('', 10)).refs).toEqual([]);
  });
});
