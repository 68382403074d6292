import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { digestApiKey, issueApiKey } from '../../../contract/api-key.ts';
import { REFUSED_TOOL } from '../programs/generator.ts';
import type { World } from './world.ts';

/** The longest a caller waits for an answer of any kind. */
const ANSWER_WITHIN_MS = 20_000;
/** From the end of a fault. */
const ACCEPTED_WITHIN_MS = 90_000;
const RETRY_MS = 250;

export type Answer = {
  status: number;
  body: { job_id?: string; result_urls?: string[]; error?: { code: string } };
};
/** What a caller gets whose connection broke: nothing. */
const NO_ANSWER: Answer = { status: 0, body: {} };

/** How the order's job is to end. */
export type End = 'completed' | 'failed';
const TOOLS: Record<End, string> = { completed: 'declutter', failed: REFUSED_TOOL };

export type Order = Awaited<ReturnType<typeof newOrder>>;

/** One request of an account that has nothing but the free images and this request, with its idempotency key. */
export async function newOrder(world: World, name: string, end: End = 'completed') {
  const { stores, keyPrefix, picture } = world;
  const account = await stores.accounts.create({
    name: 'Client',
    webhookUrl: null,
    webhookSecret: 'whsec_dGVzdA==',
  });
  const apiKey = issueApiKey(keyPrefix);
  const { key } = await stores.keys.create({
    accountId: account.id,
    name: 'Client key',
    digest: digestApiKey(apiKey),
    hint: apiKey.slice(0, 8),
    retentionDays: null,
  });
  const idempotencyKey = randomUUID();
  const digest = createHash('sha256').update(idempotencyKey).digest('base64url');
  const path = `/${account.id}`;
  const webhook_url = `${world.receiver.origin}${path}`;
  const body = JSON.stringify({ tool: TOOLS[end], image_base64: picture, webhook_url });
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  return {
    /** For messages. */
    name,
    end,
    accountId: account.id,
    /** Of the API key, and the idempotency key. */
    keyId: key.id,
    idempotencyKey,
    /** Of its webhook receiver. */
    path,
    workflowId: `job:${key.id}:${digest}`,
    post: (answerWithinMs?: number) =>
      call(name, `${world.url}/jobs`, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': idempotencyKey },
        body,
        answerWithinMs,
      }),
    read: (jobId: string) => call(name, `${world.url}/jobs/${jobId}`, { headers }),
    remove: (jobId: string) => call(name, `${world.url}/jobs/${jobId}`, { method: 'DELETE', headers }),
  };
}

/** The request sent again, as a client does, until it is accepted. @returns the job's id */
export async function accepted(order: Order): Promise<string> {
  const deadline = Date.now() + ACCEPTED_WITHIN_MS;
  for (;;) {
    const { status, body } = await order.post();
    if (status === 201 && body.job_id !== undefined) return body.job_id;
    if (Date.now() > deadline) throw new Error(`${order.name}: still answered ${status} ${body.error?.code}`);
    await delay(RETRY_MS);
  }
}

type Call = {
  method?: string;
  headers: Record<string, string>;
  body?: string;
  answerWithinMs?: number | undefined;
};

async function call(name: string, url: string, { answerWithinMs = ANSWER_WITHIN_MS, ...init }: Call) {
  // A connection of its own: one that was kept alive may belong to a process that is dead by now.
  const dispatcher = new Agent();
  try {
    const response = await fetch(url, { ...init, dispatcher, signal: AbortSignal.timeout(answerWithinMs) });
    return { status: response.status, body: JSON.parse((await response.text()) || '{}') } as Answer;
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError')
      throw new Error(`${name}: no answer within ${answerWithinMs / 1000} s`, { cause: error });
    return NO_ANSWER;
  } finally {
    await dispatcher.close();
  }
}
