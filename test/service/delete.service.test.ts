import { fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildApp } from '../../api/app.ts';
import type { ImageStore } from '../../lib/stores/image-store.ts';
import { ended, postJob } from '../setup/client.ts';
import { blockedRender, scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { type Service, startService } from '../setup/service.ts';

let service: Service;
let worker: AsyncDisposable;
let image_base64: string;
const held = blockedRender();

beforeAll(async () => {
  service = await startService();
  const generators = scriptedGenerators({ pool: held.render });
  [worker, image_base64] = await Promise.all([service.startWorker({ generators }), sampleImage()]);
});
afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

type Client = Awaited<ReturnType<Service['client']>>;

async function finishedJob({ headers }: Client, idempotencyKey?: string) {
  const body = { tool: 'declutter', image_base64, options: { customPrompt: 'private' } };
  const created = await postJob(service.app, headers, body, idempotencyKey);
  return ended(service.app, headers, created.json().job_id);
}

const remove = (jobId: string, { headers }: Client, overrides: object = {}) =>
  service.app.inject({ method: 'DELETE', url: `/api/v1/jobs/${jobId}`, headers, ...overrides });

/** The buckets of the account's images that are queued for removal. */
async function queuedOf({ accountId }: Client): Promise<string[]> {
  const { refs } = await service.stores.removals.pending('', 100);
  return refs.flatMap(({ bucket, key }) => (key.startsWith(`${accountId}/`) ? [bucket] : [])).toSorted();
}

const codeOf = (response: Awaited<ReturnType<typeof remove>>) =>
  `${response.statusCode} ${response.json().error.code}`;

describe('DELETE of a job', () => {
  test('responds with an empty 204 and removes the images', async () => {
    const client = await service.client();
    const job = await finishedJob(client);
    const { inputs } = (await service.stores.jobs.get(job.job_id)) ?? { inputs: [] };
    const response = await remove(job.job_id, client);
    expect([response.statusCode, response.body, response.headers['content-type']]).toEqual([
      204,
      '',
      undefined,
    ]);
    expect((await fetch(job.result_urls[0] ?? '')).status).toBe(404);
    await expect(service.images.getInput(inputs[0]?.key ?? '')).rejects.toThrow('There is no input image');
    expect(await queuedOf(client)).toEqual([]);
  });

  test('makes GET, a second DELETE and a replay of the key respond with 404', async () => {
    const client = await service.client();
    const { job_id } = await finishedJob(client, 'record-1');
    await remove(job_id, client);
    const read = await service.app.inject({ url: `/api/v1/jobs/${job_id}`, headers: client.headers });
    expect([read.statusCode, read.json().error.code]).toEqual([404, 'job_not_found']);
    expect(codeOf(await remove(job_id, client))).toBe('404 job_not_found');
    const body = { tool: 'declutter', image_base64, options: { customPrompt: 'private' } };
    const replay = await postJob(service.app, client.headers, body, 'record-1');
    expect([replay.statusCode, replay.json().error.code]).toEqual([404, 'job_not_found']);
  });

  test('keeps the billing record and the charge, and drops the options', async () => {
    const client = await service.client();
    const job = await finishedJob(client);
    await remove(job.job_id, client);
    expect(await service.stores.jobs.get(job.job_id)).toMatchObject({
      tool: 'declutter',
      status: 'deleted',
      deleted: { was: 'completed', at: expect.any(Date) },
      imagesCharged: 1,
      createdAt: new Date(job.created_at),
      completedAt: new Date(job.completed_at ?? 0),
      options: {},
      warnings: [],
      webhookUrl: null,
      inputs: [],
      results: [],
    });
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
    expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);
  });

  test('ignores a body', async () => {
    const client = await service.client();
    const { job_id } = await finishedJob(client);
    const headers = { ...client.headers, 'content-type': 'application/json' };
    expect((await remove(job_id, client, { headers, payload: '{not json' })).statusCode).toBe(204);
  });

  test('is 404 for an unknown id, an invalid id and the job of another account', async () => {
    const [owner, other] = [await service.client(), await service.client()];
    const { job_id } = await finishedJob(owner);
    expect(codeOf(await remove(crypto.randomUUID(), owner))).toBe('404 job_not_found');
    expect(codeOf(await remove('no-uuid', owner))).toBe('404 job_not_found');
    expect(codeOf(await remove(job_id, other))).toBe('404 job_not_found');
    expect((await remove(job_id, owner)).statusCode).toBe(204);
  });

  test('sent ten times concurrently is 204 exactly once', async () => {
    const client = await service.client();
    const { job_id } = await finishedJob(client);
    const responses = await Promise.all(Array.from({ length: 10 }, () => remove(job_id, client)));
    const statuses = responses.map(({ statusCode }) => statusCode);
    expect(statuses.toSorted()).toEqual([204, ...Array.from({ length: 9 }, () => 404)]);
  });

  test('deletes the history of its workflow, which contains its options; the idempotency key stays used', async () => {
    const client = await service.client();
    const { job_id } = await finishedJob(client, 'record-2');
    const { workflowId } = (await service.stores.jobs.get(job_id)) ?? { workflowId: '' };
    const workflow = service.temporal.workflow.getHandle(workflowId);
    await workflow.result();
    expect((await remove(job_id, client)).statusCode).toBe(204);
    expect((await service.stores.histories.pending('', 100)).workflowIds).not.toContain(workflowId);
    const body = { tool: 'declutter', image_base64, options: { customPrompt: 'private' } };
    const replay = await postJob(service.app, client.headers, body, 'record-2');
    expect([replay.statusCode, replay.json().error.code]).toEqual([404, 'job_not_found']);
    // Temporal deletes in the background, after the tasks that the end of the workflow has queued.
    await vi.waitFor(() => expect(workflow.describe()).rejects.toThrow('not found'), 100_000);
  }, 120_000);
});

describe('without the image store', () => {
  /** A second API on the same records, whose image store fails or hangs. */
  async function apiWith(images: Partial<ImageStore>) {
    const { deps } = service;
    const app = buildApp({ ...deps, images: { ...deps.images, ...images } });
    await app.ready();
    return app;
  }

  test('an image store that is down does not change the 204; the images stay queued', async () => {
    const client = await service.client();
    const { job_id } = await finishedJob(client);
    const fail: ImageStore['remove'] = async (refs) => refs.map((ref) => ({ ref, reason: 'down' }));
    await using app = await apiWith({ remove: fail });
    const response = await app.inject({
      method: 'DELETE',
      url: `/api/v1/jobs/${job_id}`,
      headers: client.headers,
    });
    expect(response.statusCode).toBe(204);
    expect(await queuedOf(client)).toEqual(['inputs', 'results']);
  });

  test('an image store that never responds does not delay the 204', async () => {
    const client = await service.client();
    const { job_id } = await finishedJob(client);
    const hang = () => new Promise<never>(() => {});
    await using app = await apiWith({ remove: hang });
    const response = await app.inject({
      method: 'DELETE',
      url: `/api/v1/jobs/${job_id}`,
      headers: client.headers,
    });
    expect(response.statusCode).toBe(204);
  });
});

test('a job that is processing is 409 and continues', async () => {
  const client = await service.client();
  const { job_id } = (await postJob(service.app, client.headers, { tool: 'pool', image_base64 })).json();
  expect(codeOf(await remove(job_id, client))).toBe('409 job_in_progress');
  held.release();
  expect((await ended(service.app, client.headers, job_id)).status).toBe('completed');
  expect((await remove(job_id, client)).statusCode).toBe(204);
});
