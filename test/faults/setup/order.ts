import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { digestApiKey, issueApiKey } from '../../../lib/domain/api-key.ts';
import { REFUSED_TOOL } from '../programs/generator.ts';
import { type HttpResponse, openUpload } from './upload.ts';
import type { World } from './world.ts';

/** Every request must be answered within this time. */
const RESPONSE_TIMEOUT_MS = 20_000;
/** After the end of a fault. */
const ACCEPTED_WITHIN_MS = 90_000;
const RETRY_MS = 250;
/** The connection was closed without a response. */
const NO_RESPONSE: HttpResponse = { status: 0, body: {} };

/** How the order's job will end. */
export type End = 'completed' | 'failed';
const TOOLS: Record<End, string> = { completed: 'declutter', failed: REFUSED_TOOL };

export type Order = Awaited<ReturnType<typeof newOrder>>;

/** One POST with an idempotency key, from a new account that has only the free images. */
export async function newOrder(world: World, name: string, end: End = 'completed', tool = TOOLS[end]) {
  const { stores, keyPrefix, image } = world;
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
  const body = JSON.stringify({ tool, image_base64: image, webhook_url });
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const idempotent = { ...headers, 'idempotency-key': idempotencyKey };
  return {
    /** For error messages. */
    name,
    end,
    accountId: account.id,
    /** Id of the API key. */
    keyId: key.id,
    idempotencyKey,
    /** Path of its webhook receiver. */
    path,
    workflowId: `job:${key.id}:${digest}`,
    post: (timeoutMs?: number) =>
      call(name, `${world.url}/jobs`, {
        method: 'POST',
        headers: idempotent,
        body,
        timeoutMs,
      }),
    /** Opens a connection for the same request, which the caller sends in two parts. */
    upload: () => openUpload(`${world.url}/jobs`, idempotent, body),
    read: (jobId: string) => call(name, `${world.url}/jobs/${jobId}`, { headers }),
    remove: (jobId: string) => call(name, `${world.url}/jobs/${jobId}`, { method: 'DELETE', headers }),
  };
}

/** Retries the request as a client does until it is accepted. @returns the job's id */
export async function accepted(order: Order): Promise<string> {
  const deadline = Date.now() + ACCEPTED_WITHIN_MS;
  for (;;) {
    const { status, body } = await order.post();
    if (status === 201 && body.job_id !== undefined) return body.job_id;
    if (Date.now() > deadline) throw new Error(`${order.name}: still ${status} ${body.error?.code}`);
    await delay(RETRY_MS);
  }
}

type Call = {
  method?: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs?: number | undefined;
};

async function call(name: string, url: string, { timeoutMs = RESPONSE_TIMEOUT_MS, ...init }: Call) {
  // A new connection: one that was kept alive may lead to a process that was killed.
  const dispatcher = new Agent();
  try {
    const response = await fetch(url, { ...init, dispatcher, signal: AbortSignal.timeout(timeoutMs) });
    return { status: response.status, body: JSON.parse((await response.text()) || '{}') } as HttpResponse;
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError')
      throw new Error(`${name}: no response within ${timeoutMs / 1000} s`, { cause: error });
    return NO_RESPONSE;
  } finally {
    await dispatcher.close();
  }
}
