import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ImageJobs } from '../../../packages/client/src/index.ts';
import { sampleJpeg } from '../../setup/images.ts';
import { type Service, startService } from '../../setup/service.ts';
import { type FaultyProxy, type ProxyFault, startFaultyProxy } from './faulty-proxy.ts';

let service: Service;
let worker: AsyncDisposable;
let proxy: FaultyProxy;
let image: Buffer;
let client: ImageJobs;
let accountId: string;

beforeAll(async () => {
  service = await startService();
  proxy = await startFaultyProxy(await service.app.listen({ host: '127.0.0.1', port: 0 }));
  [worker, image] = await Promise.all([service.startWorker(), sampleJpeg()]);
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  const created = await service.client();
  accountId = created.accountId;
  client = new ImageJobs({ apiKey: created.apiKey, baseUrl: proxy.baseUrl });
  proxy.requests.length = 0;
});

const BUSY: ProxyFault = { status: 503, body: 'no healthy upstream' };
const LIMITED: ProxyFault = {
  status: 429,
  headers: { 'Retry-After': '1' },
  body: '{"error":{"code":"rate_limited","message":"Too many.","doc_url":"https://example.com"}}',
};

/** What the ledger has of the account's jobs. */
async function charges(): Promise<string[]> {
  const rows: string[] = [];
  for await (const { kind, job_id } of client.ledger()) if (kind !== 'grant') rows.push(`${kind} ${job_id}`);
  return rows;
}

describe('a job is charged once', () => {
  test.each<[string, ProxyFault[]]>([
    ['the connection is refused', ['refuse']],
    ['the response is lost after the job was accepted', ['drop']],
    ['responses are lost again and again', ['drop', BUSY, 'drop', 'refuse']],
    ['the service is busy, and over its rate limit', [BUSY, LIMITED]],
  ])('when %s', async (_what, faults) => {
    proxy.fail('POST', ...faults);
    const created = await client.jobs.create({ tool: 'declutter', image });
    const posts = proxy.requests.filter(({ method }) => method === 'POST');
    expect(posts).toHaveLength(faults.length + 1);
    expect(new Set(posts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(await charges()).toEqual([`charge ${created.job_id}`]);
    expect(await service.stores.ledger.audit(accountId)).toEqual([]);
  });

  test('by a process that was killed while it waited, and the one after it', async () => {
    const killed = new AbortController();
    const options = { tool: 'declutter', image, key: 'queue-81245' } as const;
    proxy.fail('POST', 'drop');
    const first = client.jobs.run({ ...options, signal: killed.signal });
    await expect.poll(charges).toHaveLength(1);
    killed.abort(new Error('killed'));
    await expect(first).rejects.toThrow('killed');
    const { job } = await client.jobs.run(options);
    expect(await charges()).toEqual([`charge ${job.job_id}`]);
  });
});

test('a job whose end was lost on the way is waited for and downloaded', async () => {
  proxy.fail('GET', 'drop', BUSY);
  const { job, images } = await client.jobs.run({ tool: 'image-enhancement', image });
  expect([job.status, images.length]).toEqual(['completed', 1]);
});

test('a job is deleted once, though the response was lost', async () => {
  const { job } = await client.jobs.run({ tool: 'declutter', image });
  proxy.fail('DELETE', 'drop');
  await client.jobs.delete(job.job_id);
  await expect(client.jobs.get(job.job_id)).rejects.toMatchObject({ code: 'job_not_found' });
});
