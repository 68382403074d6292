import { fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ended, postJob } from '../setup/client.ts';
import { scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { type Service, startService } from '../setup/service.ts';

const LIMIT = 3;
let service: Service;
let worker: AsyncDisposable;
let image_base64: string;

beforeAll(async () => {
  service = await startService();
  const parts = { generators: scriptedGenerators({}), retention: { completedJobsPerAccount: LIMIT } };
  [worker, image_base64] = await Promise.all([service.startWorker(parts), sampleImage()]);
});
afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

type Client = Awaited<ReturnType<Service['client']>>;

/** Runs a job to the end of its workflow, which includes enforcing the limit. */
async function run({ headers }: Client, tool = 'declutter') {
  const options = tool === 'virtual-staging' ? { style: 'modern' } : {};
  const created = await postJob(service.app, headers, { tool, image_base64, options });
  const job = await ended(service.app, headers, created.json().job_id);
  await service.temporal.workflow.getHandle(`job:${job.job_id}`).result();
  return job;
}

async function statuses({ accountId }: Client) {
  const jobs = await service.stores.jobs.list(accountId, 100);
  const order = (job: (typeof jobs)[number]) => `${job.completedAt?.toISOString()} ${job.id}`;
  return jobs.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)).map(({ status }) => status);
}

const times = (n: number, status: string) => Array.from({ length: n }, () => status);

describe('an account with more completed jobs than the limit', () => {
  test('loses the oldest one and its images, without a refund', async () => {
    const client = await service.client();
    const first = await run(client);
    for (let n = 0; n < LIMIT; n += 1) await run(client);
    expect(await statuses(client)).toEqual(['deleted', ...times(LIMIT, 'completed')]);
    const read = await service.app.inject({ url: `/api/v1/jobs/${first.job_id}`, headers: client.headers });
    expect([read.statusCode, read.json().error.code]).toEqual([404, 'job_not_found']);
    expect((await fetch(first.result_urls[0] ?? '')).status).toBe(404);
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50 - LIMIT - 1);
    expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);
  });

  test('loses exactly the surplus when many complete concurrently', async () => {
    const client = await service.client();
    await Promise.all(Array.from({ length: 15 }, () => run(client)));
    await vi.waitFor(
      async () =>
        expect(await statuses(client)).toEqual([...times(12, 'deleted'), ...times(LIMIT, 'completed')]),
      60_000,
    );
  });

  test('keeps them while only virtual staging completes; the next other job deletes the whole surplus', async () => {
    const client = await service.client();
    for (let n = 0; n < LIMIT + 2; n += 1) await run(client, 'virtual-staging');
    expect(await statuses(client)).toEqual(times(LIMIT + 2, 'completed'));
    await run(client);
    expect(await statuses(client)).toEqual([...times(3, 'deleted'), ...times(LIMIT, 'completed')]);
  });

  test('counts the jobs of all its keys, and none of other accounts', async () => {
    const [client, other] = [await service.client(), await service.client()];
    const second = await service.keyOf(client.accountId);
    await run(other);
    await run(client);
    await run({ ...client, ...second });
    for (let n = 0; n < LIMIT - 1; n += 1) await run({ ...client, ...second });
    expect(await statuses(client)).toEqual(['deleted', ...times(LIMIT, 'completed')]);
    expect(await statuses(other)).toEqual(['completed']);
  });

  test('neither counts nor deletes failed jobs', async () => {
    const client = await service.client();
    const { job_id } = await run(client);
    await service.mongo.db
      .collection<{ _id: string }>('jobs')
      .updateOne({ _id: job_id }, { $set: { status: 'failed', error: 'no' } });
    for (let n = 0; n < LIMIT; n += 1) await run(client);
    expect(await statuses(client)).toEqual(['failed', ...times(LIMIT, 'completed')]);
  });
});
