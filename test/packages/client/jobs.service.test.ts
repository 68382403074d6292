import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ImageJobError, ImageJobs, type Job, JobFailedError } from '../../../packages/client/src/node.ts';
import { sampleJpeg } from '../../setup/images.ts';
import { type Service, startService } from '../../setup/service.ts';

let service: Service;
let worker: AsyncDisposable;
let baseUrl: string;
let photo: Buffer;

beforeAll(async () => {
  service = await startService();
  baseUrl = `${await service.app.listen({ host: '127.0.0.1', port: 0 })}/api`;
  [worker, photo] = await Promise.all([service.startWorker(), sampleJpeg()]);
});
afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function newClient(images = 0) {
  const { apiKey, accountId } = await service.client(images);
  return { accountId, client: new ImageJobs({ apiKey, baseUrl }) };
}

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

describe('a job that is run by the client', () => {
  test('ends with its result, in the format of the photo', async () => {
    const { client } = await newClient();
    const image = await sharp(photo).png().toBuffer();
    const seen: Job['status'][] = [];
    const { job, warnings, images } = await client.jobs.run({
      tool: 'roof-replacement',
      image,
      options: { material: 'slate', resolution: '4K' },
      onUpdate: ({ status }) => seen.push(status),
    });
    expect(job).toMatchObject({ tool: 'roof-replacement', status: 'completed', images_charged: 2 });
    expect(warnings).toEqual([]);
    expect(seen.at(-1)).toBe('completed');
    expect(images).toHaveLength(1);
    const result = await sharp(await new Blob(images).arrayBuffer()).metadata();
    expect([result.format, result.width]).toEqual(['png', 4096]);
  });

  test('takes the path of a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'client-'));
    const path = join(folder, 'room.jpg');
    await writeFile(path, photo);
    const { client } = await newClient();
    const byPath = await client.jobs.create({ tool: 'declutter', image: path, key: 'room' });
    const byBytes = await client.jobs.create({ tool: 'declutter', image: new Blob([photo]), key: 'room' });
    expect(byBytes.job_id).toBe(byPath.job_id);
    await rm(folder, { recursive: true });
    const missing = client.jobs.create({ tool: 'declutter', image: path });
    await expect(missing).rejects.toThrow('ENOENT');
  });

  test('is one job for one record, and another for other inputs', async () => {
    const { client, accountId } = await newClient();
    const staged = (style: 'modern' | 'coastal') =>
      client.jobs.create({ tool: 'virtual-staging', image: photo, options: { style }, key: 'listing-4711' });
    const [first, again] = await Promise.all([staged('modern'), staged('modern')]);
    const other = await staged('coastal');
    expect(again.job_id).toBe(first.job_id);
    expect(other.job_id).not.toBe(first.job_id);
    expect(other.idempotency_key).toMatch(/^listing-4711-/);
    const found = await all(client.jobs.list({ idempotency_key: first.idempotency_key }));
    expect(found.map(({ job_id }) => job_id)).toEqual([first.job_id]);
    expect((await service.stores.accounts.get(accountId)).balance).toBe(48);
  });

  test('that fails says why, with the job', async () => {
    const { client } = await newClient();
    const broken = (await sampleJpeg(640, 480)).subarray(0, 700);
    const failure = await client.jobs.run({ tool: 'declutter', image: broken }).catch((error) => error);
    expect(failure).toBeInstanceOf(JobFailedError);
    expect(failure.job).toMatchObject({
      status: 'failed',
      refunded: true,
      failure: { reason: 'invalid_input' },
    });
    expect(failure.message).toBe(failure.job.error);
  });

  test('has a price before it is created', async () => {
    const { client } = await newClient();
    const options = { tool: '4k-upscale', image: photo, key: 'plan' } as const;
    const price = await client.jobs.dryRun(options);
    expect(price).toMatchObject({ valid: true, images_charged: 2, balance_after: 48 });
    expect(await all(client.jobs.list())).toEqual([]);
  });

  test('can be deleted, and cancelled only before that', async () => {
    const { client } = await newClient();
    const { job } = await client.jobs.run({ tool: 'declutter', image: photo });
    expect(await client.jobs.cancel(job.job_id)).toEqual(job);
    await client.jobs.delete(job.job_id);
    for (const read of [client.jobs.get, client.jobs.delete])
      await expect(read(job.job_id)).rejects.toMatchObject({ code: 'job_not_found', status: 404 });
  });
});

describe('the account', () => {
  test('is read with its tools, its ledger and its webhook deliveries', async () => {
    const { client } = await newClient(500);
    const { job_id } = await client.jobs.create({ tool: 'declutter', image: photo });
    expect(await client.account()).toMatchObject({ status: 'active', image_credits: 549 });
    expect(await client.tools()).toContainEqual(
      expect.objectContaining({ slug: '4k-upscale', images_cost: 2 }),
    );
    const { options } = await client.tool('pool-removal');
    expect(options).toMatchObject({ properties: { replacementType: { default: 'lawn' } } });
    expect(await all(client.webhookDeliveries({ job_id, status: 'failed' }))).toEqual([]);
    const rows = await all(client.ledger());
    expect(rows.map(({ kind }) => kind)).toEqual(['charge', 'pack', 'grant']);
    expect(rows[0]).toMatchObject({ job_id, images: -1 });
  });
});

describe('a request that is refused', () => {
  test('names the code, the request and where to read on', async () => {
    const { client } = await newClient();
    const refused = client.jobs.create({ tool: 'declutter', image: new URL('http://localhost/room.jpg') });
    const error = await refused.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ImageJobError);
    expect(error).toMatchObject({
      code: 'image_fetch_failed',
      status: 400,
      docUrl: expect.stringContaining('/docs/errors#image_fetch_failed'),
      requestId: expect.stringMatching(/./),
    });
  });

  test('of a key that does not exist does not show it', async () => {
    const client = new ImageJobs({ apiKey: 'ij_secret', baseUrl });
    const error = await client.account().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_api_key' });
    expect(inspect({ client, error }, { depth: 9, showHidden: true })).not.toContain('ij_secret');
  });
});
