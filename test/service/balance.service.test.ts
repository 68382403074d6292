import { afterAll, beforeAll, expect, test } from 'vitest';
import { ended, postJob } from '../setup/client.ts';
import { sampleImage } from '../setup/images.ts';
import { type Service, startService } from '../setup/service.ts';

let service: Service;
let worker: AsyncDisposable;
let image_base64: string;

beforeAll(async () => {
  service = await startService({ env: { GENERATORS: 'preview' } });
  [worker, image_base64] = await Promise.all([service.startWorker(), sampleImage()]);
});
afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

test('100 concurrent requests on a balance of 25 create exactly 25 jobs', async () => {
  const { app, client, stores } = service;
  const { headers, accountId } = await client();
  const post = () => postJob(app, headers, { tool: 'declutter', image_base64 });
  const posts = (count: number) => Promise.all(Array.from({ length: count }, post));
  await posts(25);
  expect((await stores.accounts.get(accountId)).balance).toBe(25);

  const responses = await posts(100);
  const accepted = responses.filter(({ statusCode }) => statusCode === 201);
  const rejected = responses.filter(({ statusCode }) => statusCode === 402);
  expect([accepted.length, rejected.length]).toEqual([25, 75]);
  expect(new Set(rejected.map((response) => response.json().error.code))).toEqual(
    new Set(['insufficient_credits']),
  );
  expect((await stores.accounts.get(accountId)).balance).toBe(0);
  await Promise.all(accepted.map((response) => ended(app, headers, response.json().job_id)));
  expect(await stores.jobs.list(accountId, 100)).toHaveLength(50);
  expect(await stores.ledger.audit(accountId)).toEqual([]);
});
