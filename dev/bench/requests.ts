import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { findTool, planRender } from '../../lib/catalog/catalog.ts';
import { digestApiKey, issueApiKey } from '../../lib/domain/api-key.ts';
import type { JobDraft } from '../../lib/domain/records.ts';
import { jobWorkflowId } from '../../lib/protocol/workflow-ids.ts';
import type { BenchEnvironment } from './environment.ts';

export interface BenchCaller {
  accountId: string;
  keyId: string;
  apiKey: string;
}

/** With a pack, no result has a watermark and no balance runs out. */
const PACK = 10_000;

/** Creates accounts with a key each, and with so many images in a pack. */
export async function createCallers(
  { stores, config }: BenchEnvironment,
  count: number,
  { images = PACK, webhookUrl = null }: { images?: number; webhookUrl?: string | null } = {},
): Promise<BenchCaller[]> {
  const callers: BenchCaller[] = [];
  for (let n = 0; n < count; n++) {
    const name = `Bench ${n}`;
    const account = { name, webhookUrl, webhookSecret: 'whsec_YmVuY2g=' };
    const { id: accountId } = await stores.accounts.create(account);
    if (images > 0) await stores.packs.add({ accountId, images, reference: null });
    const apiKey = issueApiKey(config.keyPrefix);
    const [digest, hint] = [digestApiKey(apiKey), apiKey.slice(0, 8)];
    const { key } = await stores.keys.create({ accountId, name, digest, hint, retentionDays: null });
    callers.push({ accountId, keyId: key.id, apiKey });
  }
  return callers;
}

export interface BenchRequest {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface BenchResponse {
  status: number;
  /** Empty when the response has no body. */
  body: { job_id?: string; status?: string; result_urls?: string[]; error?: { code: string } };
}

/** An HTTP client of several callers. They take turns, so none reaches a rate limit. */
export interface BenchClient extends AsyncDisposable {
  /** @param n which caller's turn it is; the next caller's by default */
  request(request: BenchRequest, n?: number): Promise<BenchResponse>;
  /** Posts a job and returns its id. @throws Error for any other status than 201 */
  post(body: string | Buffer): Promise<string>;
}

export function createBenchClient(
  origin: string,
  callers: readonly BenchCaller[],
  connections: number,
): BenchClient {
  const pool = new Pool(origin, { connections });
  let turn = 0;
  const request: BenchClient['request'] = async (options, n = turn++) => {
    const own = { ...callerHeaders(callers, n), 'content-type': 'application/json' };
    const response = await pool.request({ ...options, headers: { ...own, ...options.headers } });
    const text = await response.body.text();
    return { status: response.statusCode, body: text === '' ? {} : JSON.parse(text) };
  };
  return {
    request,
    async post(body) {
      const response = await request({ method: 'POST', path: '/api/v1/jobs', body });
      if (response.body.job_id !== undefined) return response.body.job_id;
      throw new Error(`POST answered ${response.status}: ${JSON.stringify(response.body)}`);
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

/** Headers of the nth request. The request before had another key and another address. */
export function callerHeaders(callers: readonly BenchCaller[], n: number): Record<string, string> {
  const caller = callers[n % callers.length];
  if (caller === undefined) throw new Error('There are no callers.');
  const address = `10.0.${Math.floor(n / 250) % 250}.${n % 250}`;
  return { 'x-api-key': caller.apiKey, 'x-forwarded-for': address };
}

/** Accepts a job of the caller in the database, without a workflow. @returns its id */
export async function acceptedJob(
  { stores }: BenchEnvironment,
  { accountId, keyId }: BenchCaller,
): Promise<string> {
  const tool = findTool('declutter');
  const planned = tool === undefined ? undefined : planRender(tool, {});
  if (planned?.ok !== true) throw new Error('The tool is missing.');
  const jobId = randomUUID();
  const draft: JobDraft = {
    jobId,
    accountId,
    keyId,
    tool: planned.plan.tool,
    options: planned.plan.settings,
    warnings: [],
    imagesCharged: 1,
    idempotencyKey: null,
    bodyDigest: '',
    webhookUrl: null,
    workflowId: jobWorkflowId(jobId),
    input: { bucket: 'inputs', key: `${accountId}/${jobId}.jpeg` },
  };
  await stores.jobs.accept(draft);
  return jobId;
}

/** Like {@link acceptedJob}, and completes the job. */
export async function completedJob(environment: BenchEnvironment, caller: BenchCaller): Promise<string> {
  const jobId = await acceptedJob(environment, caller);
  const results = [{ bucket: 'results' as const, key: `${caller.accountId}/${jobId}-edited.jpeg` }];
  await environment.stores.jobs.complete(jobId, { results, processingMs: 1234 });
  return jobId;
}

/** Body of a POST /v1/jobs with the image. */
export const jobBody = (image: Buffer, more: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ tool: 'declutter', image_base64: image.toString('base64'), ...more }));
