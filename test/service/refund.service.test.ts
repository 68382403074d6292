import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { GeneratorError, REFUSALS } from '../../lib/generators/errors.ts';
import type { UpstreamRequest } from '../../lib/generators/port.ts';
import { ended, postJob } from '../setup/client.ts';
import { blockedRender, invert, scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { type Service, startService } from '../setup/service.ts';

const tries = { unavailable: 0, flaky: 0 };
const held = blockedRender();
/** One kind of failure per tool. */
const generators = scriptedGenerators({
  declutter: async () => {
    throw new GeneratorError({ kind: 'refused', reason: 'safety' }, 'The model refused this image.');
  },
  'pool-removal': async () => {
    tries.unavailable += 1;
    throw new GeneratorError({ kind: 'unavailable' }, 'upstream.internal answered 503');
  },
  'roof-replacement': async (request: UpstreamRequest) => {
    tries.flaky += 1;
    if (tries.flaky < 3) throw new GeneratorError({ kind: 'unavailable', retryAfterMs: 5 }, 'busy');
    return invert(request);
  },
  pool: held.render,
});

let service: Service;
let worker: AsyncDisposable;
let image_base64: string;

beforeAll(async () => {
  service = await startService();
  [worker, image_base64] = await Promise.all([
    service.startWorker({ generators, unavailableMs: 5000 }),
    sampleImage(),
  ]);
});
afterAll(async () => {
  held.release();
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

type Client = Awaited<ReturnType<Service['client']>>;

async function start({ headers }: Client, tool: string, options = {}): Promise<string> {
  const created = await postJob(service.app, headers, { tool, image_base64, options });
  expect(created.statusCode).toBe(201);
  return created.json().job_id;
}

/** One charge, one refund, and no audit findings. */
async function expectRefunded({ accountId }: Client, jobId: string) {
  const rows = (await service.stores.ledger.list(accountId)).filter((row) => row.jobId === jobId);
  expect(rows.map(({ id }) => id)).toEqual([`charge:${jobId}`, `refund:${jobId}`]);
  expect((await service.stores.accounts.get(accountId)).balance).toBe(50);
  expect(await service.stores.ledger.audit(accountId)).toEqual([]);
}

const failuresOf = async ({ accountId }: Client) =>
  (await service.stores.accounts.get(accountId)).failures?.jobs;
const workflowOf = (jobId: string) => service.temporal.workflow.getHandle(`job:${jobId}`);

describe('a generation that fails', () => {
  test('permanently is failed and refunded immediately, with an error for the client', async () => {
    const client = await service.client();
    const jobId = await start(client, 'declutter', { resolution: '4K' });
    expect(await ended(service.app, client.headers, jobId)).toMatchObject({
      status: 'failed',
      error: `${REFUSALS.safety} The charge was refunded.`,
      images_charged: 2,
      result_urls: [],
      completed_at: expect.any(String),
      processing_ms: expect.any(Number),
    });
    await expectRefunded(client, jobId);
    expect(await failuresOf(client)).toBe(1);
    expect(await workflowOf(jobId).result()).toEqual({ status: 'failed', jobId });
  });

  test('for longer than it may is failed and refunded, and the error does not mention the upstream', async () => {
    const client = await service.client();
    const jobId = await start(client, 'pool-removal');
    const job = await ended(service.app, client.headers, jobId);
    expect(job.error).toBe('The image could not be generated. The charge was refunded.');
    expect(tries.unavailable).toBeGreaterThan(1);
    expect(await failuresOf(client)).toBeUndefined();
    await expectRefunded(client, jobId);
  });

  test('temporarily is completed in the end, charged once', async () => {
    const client = await service.client();
    const jobId = await start(client, 'roof-replacement');
    expect(await ended(service.app, client.headers, jobId)).toMatchObject({
      status: 'completed',
      error: null,
    });
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
  });

  test('is replayed as failed to the same key, without another charge', async () => {
    const client = await service.client();
    const body = { tool: 'declutter', image_base64 };
    const { job_id } = (await postJob(service.app, client.headers, body, 'k')).json();
    await ended(service.app, client.headers, job_id);
    const replay = await postJob(service.app, client.headers, body, 'k');
    expect([replay.statusCode, replay.json().status, replay.json().job_id]).toEqual([201, 'failed', job_id]);
    await expectRefunded(client, job_id);
  });
});

describe('a workflow that an operator cancels', () => {
  test('while it renders ends in a refund and stops the render', async () => {
    const client = await service.client();
    const jobId = await start(client, 'pool');
    await vi.waitFor(async () => {
      const { pendingActivities } = (await workflowOf(jobId).describe()).raw;
      expect(pendingActivities?.[0]?.attempt).toBe(1);
    }, 60_000);
    await workflowOf(jobId).cancel();
    const job = await ended(service.app, client.headers, jobId);
    expect(job).toMatchObject({
      status: 'failed',
      error: 'The job was cancelled. The charge was refunded.',
      result_urls: [],
    });
    await expectRefunded(client, jobId);
    expect(await workflowOf(jobId).result()).toEqual({ status: 'failed', jobId });
  });

  test('at any moment ends in a completed job, or in a failed and refunded one', async () => {
    const client = await service.client();
    const jobs = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const jobId = await start(client, 'image-enhancement');
        // Each one is cancelled a little later than the one before.
        await Promise.all(Array.from({ length: n }, () => workflowOf(jobId).describe()));
        await workflowOf(jobId)
          .cancel()
          .catch(() => {});
        return ended(service.app, client.headers, jobId);
      }),
    );
    const completed = jobs.filter(({ status }) => status === 'completed').length;
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50 - completed);
    expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);
  });

  test('before any worker has started it responds with 500 without a charge, or ends', async () => {
    const other = await startService({ env: { ACCEPT_TIMEOUT_MS: '3000' } });
    const client = await other.client();
    const body = { tool: 'image-enhancement', image_base64 };
    const response = postJob(other.app, client.headers, body, 'early');
    const handle = await vi.waitFor(async () => {
      for await (const { workflowId } of other.temporal.workflow.list({
        query: `AccountId = "${client.accountId}"`,
      }))
        return other.temporal.workflow.getHandle(workflowId);
      throw new Error('The workflow has not started.');
    }, 60_000);
    await handle.cancel();
    const otherWorker = await other.startWorker();
    const { statusCode } = await response;
    await handle.result().catch(() => {});
    const jobs = await other.stores.jobs.list(client.accountId, 10);
    expect(jobs.filter(({ status }) => status === 'processing')).toEqual([]);
    expect(jobs.length > 0 || statusCode === 500).toBe(true);
    expect(await other.stores.ledger.audit(client.accountId)).toEqual([]);
    await otherWorker[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });
});
