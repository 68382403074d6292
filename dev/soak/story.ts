import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fetch } from 'undici';
import type { BenchClient, BenchRequest } from '../bench/requests.ts';

/** The interval doubles, so that a key stays below its rate limit when renders are slow. */
const POLL_MS = { first: 700, most: 6000 };
const ENDS_WITHIN_MS = 120_000;
/** The turns of ten in which a client does more than post, poll and read the result. */
const TURNS = { repeat: [1, 4], notify: [2, 4, 6, 8], delete: [3, 6, 9], refused: [5] };

/** Mostly cheap ones, so that two processors can do five a second. */
const TOOLS = ['image-enhancement', 'virtual-staging', 'declutter', 'virtual-staging', 'wall-color-change'];
const STAGING = { style: 'modern', roomType: 'bedroom' };

export interface StoryContext {
  /** Of one account. */
  client: BenchClient;
  imageBase64: string;
  webhookUrl: string;
  /** Called with every job that its receiver has to be notified of. */
  onNotify(jobId: string): void;
}

/**
 * What a client does with the nth job: posts it, in some turns twice, polls it until it has ended,
 * reads the result, and in some turns deletes it.
 * @throws AssertionError when the service breaks its contract
 */
export async function runStory(n: number, context: StoryContext): Promise<void> {
  const { client, imageBase64: image_base64, webhookUrl, onNotify } = context;
  // Every account takes every turn.
  const turn = (n + Math.floor(n / 10)) % 10;
  const does = (what: keyof typeof TURNS) => TURNS[what].includes(turn);
  const headers = { 'idempotency-key': randomUUID() };
  const post = (body: object) =>
    client.request({ method: 'POST', path: '/api/v1/jobs', headers, body: JSON.stringify(body) });
  if (does('refused')) {
    const { status, body } = await post({ tool: 'no-such-tool', image_base64 });
    assert.deepEqual([status, body.error?.code], [400, 'invalid_tool']);
    return;
  }
  const tool = TOOLS[Math.floor(n / 10) % TOOLS.length];
  const job = {
    tool,
    image_base64,
    ...(tool === 'virtual-staging' && { options: STAGING }),
    ...(does('notify') && { webhook_url: webhookUrl }),
  };
  const created = await post(job);
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const jobId = created.body.job_id ?? '';
  if (does('repeat')) assert.equal((await post(job)).body.job_id, jobId);
  const call = (method: BenchRequest['method']) => client.request({ method, path: `/api/v1/jobs/${jobId}` });
  const resultUrl = await resultOf(() => call('GET'));
  assert.equal(await statusOf(resultUrl), 200);
  // The receiver of a job that is deleted may or may not be notified before.
  if (does('notify') && !does('delete')) onNotify(jobId);
  if (!does('delete')) return;
  assert.equal((await call('DELETE')).status, 204);
  assert.equal((await call('GET')).status, 404);
  assert.ok([403, 404].includes(await statusOf(resultUrl)), 'The result of a deleted job can be read.');
}

/** Polls until the job is completed. @returns the URL of its result */
async function resultOf(get: () => ReturnType<BenchClient['request']>): Promise<string> {
  const deadline = performance.now() + ENDS_WITHIN_MS;
  for (let wait = POLL_MS.first; ; wait = Math.min(2 * wait, POLL_MS.most)) {
    await delay(wait);
    const { status, body } = await get();
    assert.equal(status, 200, JSON.stringify(body));
    if (body.status === 'completed') return String(body.result_urls?.[0]);
    assert.equal(body.status, 'processing', JSON.stringify(body));
    assert.ok(performance.now() < deadline, `Job ${body.job_id} has not ended.`);
  }
}

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status;
}
