import sharp from 'sharp';
import { fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ended, postJob } from '../setup/client.ts';
import { sampleImage } from '../setup/images.ts';
import { type Service, startService } from '../setup/service.ts';

let service: Service;
let worker: AsyncDisposable;
let image_base64: string;

beforeAll(async () => {
  service = await startService();
  [worker, image_base64] = await Promise.all([service.startWorker(), sampleImage()]);
});
afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

describe('a job from its creation to its result', () => {
  test('is charged at once, rendered at 2K and served from a public URL', async () => {
    const { app, client, stores, mongo } = service;
    const { headers, accountId } = await client();
    const created = await postJob(app, headers, { tool: 'image-enhancement', image_base64 });
    expect(created.statusCode).toBe(201);
    expect(created.json()).toEqual({
      job_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'processing',
      images_charged: 1,
      warnings: [],
    });
    expect((await stores.accounts.get(accountId)).balance).toBe(49);

    const job = await ended(app, headers, created.json().job_id);
    expect(job).toMatchObject({
      status: 'completed',
      tool: 'image-enhancement',
      error: null,
      images_charged: 1,
    });
    expect(job.processing_ms).toBeGreaterThanOrEqual(0);
    const result = await fetch(job.result_urls[0] ?? '');
    expect(result.headers.get('content-type')).toBe('image/jpeg');
    const { width, height } = await sharp(Buffer.from(await result.arrayBuffer())).metadata();
    expect([width, height]).toEqual([2048, 1536]);
    expect(await stores.ledger.audit(accountId)).toEqual([]);
    const rows = mongo.db.collection('idempotency');
    expect(await rows.countDocuments({ jobId: job.job_id })).toBe(0);
  });

  test('of another tool and size has its price, its warnings and its file name', async () => {
    const { app, client } = service;
    const { headers } = await client();
    const options = { material: 'slate', resolution: '4K', colour: 'grey' };
    const created = await postJob(app, headers, { tool: 'roof-replacement', image_base64, options });
    expect(created.json()).toMatchObject({ images_charged: 2, warnings: [{ option: 'colour' }] });
    const job = await ended(app, headers, created.json().job_id);
    expect(job).toMatchObject({ status: 'completed', tool: 'roof-replacement', images_charged: 2 });
    expect(job.result_urls).toEqual([
      expect.stringMatching(/\/[0-9a-f-]{36}\/[0-9a-f-]{36}-[a-z0-9-]+\.jpeg$/),
    ]);
  });

  test('leaves a history of at most 20 events', async () => {
    const { app, client, temporal } = service;
    const { headers } = await client();
    const { job_id } = (await postJob(app, headers, { tool: 'declutter', image_base64 })).json();
    await ended(app, headers, job_id);
    const handle = temporal.workflow.getHandle(`job:${job_id}`);
    expect(await handle.result()).toEqual({ status: 'completed', jobId: job_id });
    const { events } = await handle.fetchHistory();
    expect(events?.length).toBeLessThanOrEqual(20);
  });
});

describe('an idempotency key', () => {
  test('gives one job and one charge to 100 concurrent requests', async () => {
    const { app, client, stores } = service;
    const { headers, accountId } = await client(100);
    const body = { tool: 'declutter', image_base64 };
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => postJob(app, headers, body, 'order-1')),
    );
    const outcomes = responses.map(
      (response) => `${response.statusCode} ${response.json().job_id ?? response.body}`,
    );
    expect(new Set(outcomes).size).toBe(1);
    expect(outcomes[0]).toMatch(/^201 /);
    const rows = await stores.ledger.list(accountId);
    expect(rows.filter(({ kind }) => kind === 'charge')).toHaveLength(1);
    expect(await stores.ledger.audit(accountId)).toEqual([]);
  });

  test('replays the job in its current state, and rejects another body', async () => {
    const { app, client } = service;
    const { headers } = await client();
    const body = { tool: 'declutter', image_base64, options: { resolution: '8K' } };
    const first = await postJob(app, headers, body, 'record-7');
    expect(first.json().warnings).toHaveLength(1);
    await ended(app, headers, first.json().job_id);
    const replay = await postJob(app, headers, body, 'record-7');
    expect(replay.statusCode).toBe(201);
    expect(replay.json()).toMatchObject({ job_id: first.json().job_id, status: 'completed' });
    expect(replay.json().warnings).toEqual(first.json().warnings);
    const other = await postJob(app, headers, { ...body, tool: 'pool' }, 'record-7');
    expect([other.statusCode, other.json().error.code]).toEqual([409, 'idempotency_conflict']);
  });

  test('is not used up by a 402', async () => {
    const { app, client, stores } = service;
    const { headers, accountId } = await client();
    await service.mongo.db
      .collection('accounts')
      .updateOne({ _id: accountId as never }, { $set: { balance: 0 } });
    const body = { tool: 'declutter', image_base64 };
    const refused = await postJob(app, headers, body, 'later');
    expect([refused.statusCode, refused.json().error.code]).toEqual([402, 'insufficient_credits']);
    await stores.packs.add({ accountId, images: 5, reference: null });
    expect((await postJob(app, headers, body, 'later')).statusCode).toBe(201);
  });
});
