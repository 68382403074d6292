import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { FAILED_JOBS } from '../../lib/contract/limits.ts';
import { createFakeImageStore } from '../fakes/images.ts';
import { sampleImage } from '../setup/images.ts';
import { draftOf } from '../setup/records.ts';
import { type Service, startService } from '../setup/service.ts';
import { storingGateway } from './gateway.ts';
import { error, outcome } from './responses.ts';

let service: Service;
let body: object;

beforeAll(async () => {
  service = await startService({
    // The S3 client would keep a clock offset from the test that changes the time.
    api: {
      images: createFakeImageStore(),
      jobGateway: storingGateway({ accept: (draft) => service.stores.jobs.accept(draft) }),
    },
  });
  body = { tool: 'declutter', image_base64: await sampleImage() };
});
afterAll(async () => service?.[Symbol.asyncDispose]());
afterEach(() => vi.useRealTimers());

type Client = Awaited<ReturnType<Service['client']>>;

const post = ({ headers }: Client, idempotencyKey: string) =>
  service.app.inject({
    method: 'POST',
    url: '/api/v1/jobs',
    payload: body,
    headers: { ...headers, 'idempotency-key': idempotencyKey },
  });

async function fail(client: Client, times: number): Promise<void> {
  const { jobs } = service.stores;
  for (let n = 0; n < times; n++) {
    const draft = draftOf(client);
    await jobs.accept(draft);
    await jobs.fail(draft.jobId, {
      error: 'Damaged.',
      failureReason: 'no_result',
      processingMs: 1,
      counted: true,
    });
  }
}

test('an account with a pack may have more failures', async () => {
  const client = await service.client();
  await service.stores.packs.add({ accountId: client.accountId, images: 500, reference: null });
  await fail(client, FAILED_JOBS.account);
  expect(outcome(await post(client, 'next'))).toBe('201');
});

test('an account with too many failures that count is rate limited for an hour', async () => {
  const client = await service.client();
  await fail(client, FAILED_JOBS.account - 1);
  const last = await post(client, 'last');
  expect(outcome(last)).toBe('201');
  await fail(client, 1);

  const refused = await post(client, 'next');
  expect(outcome(refused)).toBe(error('rate_limited'));
  expect(refused.json().error.message).toContain('failed within an hour');
  const retryAfter = Number(refused.headers['retry-after']);
  expect(retryAfter).toBeGreaterThan(3500);
  expect(retryAfter).toBeLessThanOrEqual(3600);
  expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);

  // Accepted jobs can still be replayed, and other accounts are not limited.
  expect((await post(client, 'last')).json().job_id).toBe(last.json().job_id);
  expect(outcome(await post(await service.client(), 'other'))).toBe('201');

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + retryAfter * 1000 });
  expect(outcome(await post(client, 'next'))).toBe('201');
});
