import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fetch } from 'undici';
import type { SoakClient } from './client.ts';

/** The interval doubles from poll to poll, so that a key stays below its rate limit also when renders are slow. */
const POLL_MS = { first: 700, most: 6000 };
const ENDS_WITHIN_MS = 120_000;
/** Of ten stories, which does what besides posting, polling and collecting the result. */
const REPEATS = [1, 4];
const NOTIFIES = [2, 4, 6, 8];
const DELETES = [3, 6, 9];
const REFUSED = [5];

/** Mostly cheap ones, so that two processors can do five a second. */
const TOOLS = ['image-enhancement', 'virtual-staging', 'declutter', 'virtual-staging', 'wall-color-change'];
const OPTIONS: Readonly<Record<string, object>> = {
  'virtual-staging': { style: 'modern', roomType: 'bedroom' },
};

export interface StoryContext {
  imageBase64: string;
  webhookUrl: string;
  /** Called with a job whose receiver will be notified. */
  onNotify(jobId: string): void;
}

/**
 * What a client does with the nth job: posts it, perhaps twice, polls it until it has ended, collects the result, and
 * perhaps deletes it. @throws AssertionError when the service did anything but what the contract promises
 */
export async function runStory(n: number, client: SoakClient, context: StoryContext): Promise<void> {
  // Every account takes every turn.
  const turn = (n + Math.floor(n / 10)) % 10;
  const key = randomUUID();
  const tool = TOOLS[Math.floor(n / 10) % TOOLS.length] ?? '';
  if (REFUSED.includes(turn)) return refused(client, key, context);
  const body = {
    tool,
    image_base64: context.imageBase64,
    ...(OPTIONS[tool] === undefined ? {} : { options: OPTIONS[tool] }),
    ...(NOTIFIES.includes(turn) ? { webhook_url: context.webhookUrl } : {}),
  };
  const jobId = await post(client, body, key);
  if (REPEATS.includes(turn)) assert.equal(await post(client, body, key), jobId);
  const resultUrl = await result(client, jobId);
  const deletes = DELETES.includes(turn);
  // The receiver of a job that is deleted may or may not be notified before.
  if (NOTIFIES.includes(turn) && !deletes) context.onNotify(jobId);
  if (deletes) await remove(client, jobId, resultUrl);
}

async function refused(client: SoakClient, key: string, { imageBase64 }: StoryContext): Promise<void> {
  const { status, body } = await client.post({ tool: 'no-such-tool', image_base64: imageBase64 }, key);
  assert.deepEqual([status, errorCode(body)], [400, 'invalid_tool']);
}

async function post(client: SoakClient, body: object, key: string): Promise<string> {
  const created = await client.post(body, key);
  assert.equal(created.status, 201, JSON.stringify(created.body));
  return String(created.body.job_id);
}

/** Polls until the job is completed. @returns the URL of its result, which can be read */
async function result(client: SoakClient, jobId: string): Promise<string> {
  const deadline = performance.now() + ENDS_WITHIN_MS;
  for (let wait = POLL_MS.first; ; wait = Math.min(2 * wait, POLL_MS.most)) {
    await delay(wait);
    const { status, body } = await client.get(`jobs/${jobId}`);
    assert.equal(status, 200, JSON.stringify(body));
    if (body.status !== 'processing') {
      assert.equal(body.status, 'completed', JSON.stringify(body));
      const [url] = body.result_urls as string[];
      assert.equal(await read(url), 200);
      return String(url);
    }
    assert.ok(performance.now() < deadline, `Job ${jobId} has not ended.`);
  }
}

async function remove(client: SoakClient, jobId: string, resultUrl: string): Promise<void> {
  assert.equal((await client.delete(`jobs/${jobId}`)).status, 204);
  assert.equal((await client.get(`jobs/${jobId}`)).status, 404);
  assert.ok([403, 404].includes(await read(resultUrl)), 'The result of a deleted job can be read.');
}

async function read(url: string | undefined): Promise<number> {
  const response = await fetch(String(url));
  await response.arrayBuffer();
  return response.status;
}

const errorCode = (body: Record<string, unknown>) => (body.error as { code?: string } | undefined)?.code;
