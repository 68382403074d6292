import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startSweep } from '../../operator/sweep.ts';
import type { ObjectRef } from '../../stores/records.ts';
import type { SweepCounts } from '../../workflows/messages.ts';
import { ended, postJob, samplePicture } from '../setup/client.ts';
import { scriptedGenerator } from '../setup/generators.ts';
import { type Service, startService } from '../setup/service.ts';

const DAY_MS = 24 * 3_600_000;
/** Images without a job count as orphans at once, and a transaction deletes so few that several are needed. */
const retention = { orphanedInputMs: 0, orphanedResultMs: 0, batch: 2 };
let service: Service;
let worker: AsyncDisposable;
let image_base64: string;

beforeAll(async () => {
  service = await startService();
  [worker, image_base64] = await Promise.all([
    service.startWorker({ generator: scriptedGenerator({}), retention }),
    samplePicture(),
  ]);
});
afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});
beforeEach(async () => void (await sweep()));

type Client = Awaited<ReturnType<Service['client']>>;

async function sweep(): Promise<SweepCounts> {
  const { workflowId } = await startSweep(service.temporal, service.config.temporal.taskQueuePrefix);
  return service.temporal.workflow.getHandle(workflowId).result();
}

/** A job that ended, created so many days ago. */
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
  const soon = new Date(Date.now() + 60_000);
  const buckets = ['inputs', 'results'] as const;
  const pages = await Promise.all(
    buckets.map(async (bucket) =>
      (await service.images.list(bucket, soon)).found.map(({ key }) => ({ bucket, key })),
    ),
  );
  return pages.flat();
}

describe('the sweep', () => {
  test('deletes completed and failed jobs of a key past its retention_days, and nothing else', async () => {
    const client = await service.client();
    const key = await service.keyOf(client.accountId, 7);
    const old = await Promise.all([8, 9, 10, 11, 12].map((days) => jobOf(key, days)));
    await change(old[0] ?? '', { status: 'failed' });
    const [young, ofOtherKey] = await Promise.all([jobOf(key, 6.9), jobOf(client, 400)]);
    const objects = (await Promise.all(old.map(objectsOf))).flat();
    expect(objects).toHaveLength(10);

    expect(await sweep()).toMatchObject({ deleted: 5, removed: 10, unremoved: 0, orphans: 0 });
    expect(await Promise.all(old.map(statusOf))).toEqual(Array.from({ length: 5 }, () => 'deleted'));
    expect(await Promise.all([young, ofOtherKey].map(statusOf))).toEqual(['completed', 'completed']);
    const left = await stored();
    expect(objects.filter(({ key }) => left.some((ref) => ref.key === key))).toEqual([]);
    expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);
    expect(await sweep()).toMatchObject({ deleted: 0, removed: 0 });
  });

  test('goes by the number of days the key has now', async () => {
    const client = await service.client();
    const job = await jobOf(client, 3);
    expect(await sweep()).toMatchObject({ deleted: 0 });
    await service.stores.keys.setRetention(client.keyId, 3);
    expect(await sweep()).toMatchObject({ deleted: 1 });
    expect(await statusOf(job)).toBe('deleted');
  });

  test('takes the input off failed jobs after 30 days; they stay readable', async () => {
    const client = await service.client();
    const jobs = await Promise.all([31, 32, 33, 29].map((days) => jobOf(client, days)));
    await Promise.all(jobs.map((id) => change(id, { status: 'failed', error: 'no', results: [] })));
    expect(await sweep()).toMatchObject({ inputsDropped: 3, deleted: 0 });
    const inputs = await Promise.all(jobs.map(async (id) => (await objectsOf(id)).length));
    expect(inputs).toEqual([0, 0, 0, 1]);
    const read = await service.app.inject({ url: `/api/v1/jobs/${jobs[0]}`, headers: client.headers });
    expect(read.json()).toMatchObject({ status: 'failed', error: 'no' });
    expect(await sweep()).toMatchObject({ inputsDropped: 0 });
  });

  test('removes images that belong to no job, in both buckets', async () => {
    const client = await service.client();
    const job = await jobOf(client, 0);
    const key = `${client.accountId}/${randomUUID()}.png`;
    await service.images.putInput(key, Buffer.from('x'), 'image/png');
    await service.images.putResult(key, Buffer.from('x'), 'image/png');
    expect(await sweep()).toMatchObject({ orphans: 2, removed: 2 });
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
    expect(await sweep()).toMatchObject({ forgotten: 1 });
    expect((await service.stores.histories.pending('', 10)).workflowIds).toEqual([]);
    expect((await handle(other).describe()).status.name).toBe('COMPLETED');
    expect(await sweep()).toMatchObject({ forgotten: 0 });
  });

  test('removes what could not be removed before', async () => {
    const client = await service.client();
    const job = await jobOf(client, 0);
    const objects = await objectsOf(job);
    await service.stores.jobs.remove([job]);
    expect((await service.stores.removals.pending('', 10)).refs).toHaveLength(2);
    expect(await sweep()).toMatchObject({ removed: 2, unremoved: 0, orphans: 0 });
    expect(await stored()).not.toEqual(expect.arrayContaining(objects));
    expect((await service.stores.removals.pending('', 10)).refs).toEqual([]);
  });
});
