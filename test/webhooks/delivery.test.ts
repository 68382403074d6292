import { afterEach, expect, test, vi } from 'vitest';
import { type DeliveryDeps, deliver } from '../../activities/webhooks/attempt.ts';
import { webhookPolicy } from '../../activities/webhooks/policy.ts';
import { deliveryIdOf, FIRST_CYCLE } from '../../domain/delivery.ts';
import { createFakeImageStore } from '../fakes/images.ts';
import { createFakeStores } from '../fakes/stores.ts';
import { draftOf, newClient } from '../setup/records.ts';

const URL = 'https://receiver.example.com/';
const MINUTE = 60_000;

afterEach(() => vi.useRealTimers());

test('an attempt that meets another one of its cycle is retried and does not end the delivery', async () => {
  const stores = createFakeStores();
  const client = await newClient(stores);
  const { jobId, accountId } = draftOf(client);
  await stores.jobs.accept(draftOf(client, { jobId, webhookUrl: URL }));
  await stores.jobs.complete(jobId, { results: [], processingMs: 1 });
  const deps: DeliveryDeps = {
    images: createFakeImageStore(),
    egress: { post: async () => ({ status: 200, ms: 1, headers: {}, body: Buffer.of() }) },
    // What the store returns to the earlier of two attempts.
    stores: { ...stores, deliveries: { ...stores.deliveries, begin: async () => undefined } },
  };
  const delivery = { deliveryId: deliveryIdOf(jobId), cycle: FIRST_CYCLE, accountId, jobId };
  const pending = { ...delivery, target: 'job', receiver: URL, force: false } as const;
  const { signal } = new AbortController();
  expect(await deliver(deps, webhookPolicy({ timeoutMs: 1000 }), pending, signal)).toEqual({
    state: 'pending',
    waitMs: 2000,
    problem: 'Another attempt of this delivery is in progress.',
  });
  expect(await deliver({ ...deps, stores }, webhookPolicy(), pending, signal)).toMatchObject({
    state: 'delivered',
  });
});

/** One attempt to an overloaded receiver; the clock jumps by `clockStepMs` while the attempt is recorded. */
async function attempt(clockStepMs: number) {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const stores = createFakeStores();
  const client = await newClient(stores);
  const { jobId, accountId } = draftOf(client);
  await stores.jobs.accept(draftOf(client, { jobId, webhookUrl: URL }));
  await stores.jobs.complete(jobId, { results: [], processingMs: 1 });
  const { deliveries } = stores;
  const deps: DeliveryDeps = {
    images: createFakeImageStore(),
    egress: { post: async () => ({ status: 503, ms: 1, headers: {}, body: Buffer.of() }) },
    stores: {
      ...stores,
      deliveries: {
        ...deliveries,
        async record(...made) {
          await deliveries.record(...made);
          vi.setSystemTime(Date.now() + clockStepMs);
        },
      },
    },
  };
  const delivery = { deliveryId: deliveryIdOf(jobId), cycle: FIRST_CYCLE, accountId, jobId };
  const pending = { ...delivery, target: 'job', receiver: URL, force: false } as const;
  const result = await deliver(deps, webhookPolicy(), pending, new AbortController().signal);
  return { result, row: await deliveries.find(delivery.deliveryId) };
}

test.each([5 * MINUTE, -5 * MINUTE])(
  'the wait for the next attempt follows the schedule, although the clock jumps by %i ms meanwhile',
  async (clockStepMs) => {
    const { result, row } = await attempt(clockStepMs);
    const waitMs = result.state === 'pending' ? result.waitMs : Number.NaN;
    expect(waitMs).toBeGreaterThanOrEqual(4000);
    expect(waitMs).toBeLessThanOrEqual(6000);
    const recordedAt = Date.now() - clockStepMs;
    expect(row?.nextAttemptAt?.getTime()).toBe(Math.floor(recordedAt + waitMs));
  },
);
