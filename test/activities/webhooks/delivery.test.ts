import { afterEach, expect, test, vi } from 'vitest';
import { type DeliveryDeps, deliver } from '../../../activities/webhooks/attempt.ts';
import { webhookPolicy } from '../../../activities/webhooks/policy.ts';
import { deliveryIdOf, FIRST_CYCLE } from '../../../lib/domain/delivery.ts';
import { createFakeImageStore } from '../../fakes/images.ts';
import { createFakeStores } from '../../fakes/stores.ts';
import { draftOf, newClient } from '../../setup/records.ts';

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

/** A delivery to a job's own URL, whose requests are counted. */
async function ownUrl() {
  const stores = createFakeStores();
  const client = await newClient(stores);
  const draft = draftOf(client, { webhookUrl: URL });
  const { jobId, accountId } = draft;
  await stores.jobs.accept(draft);
  await stores.jobs.complete(jobId, { results: [], processingMs: 1 });
  const post = vi.fn(async () => ({ status: 200, ms: 1, headers: {}, body: Buffer.of() }));
  const deps: DeliveryDeps = { images: createFakeImageStore(), egress: { post }, stores };
  const delivery = { deliveryId: deliveryIdOf(jobId), cycle: FIRST_CYCLE, accountId, jobId };
  const pending = { ...delivery, target: 'job', receiver: URL, force: false } as const;
  const attempt = () => deliver(deps, webhookPolicy(), pending, new AbortController().signal);
  return { stores, accountId, delivery, post, attempt };
}

test('a delivery of a closed account is cancelled, although its job is not deleted yet', async () => {
  const { stores, accountId, delivery, post, attempt } = await ownUrl();
  await stores.accounts.close(accountId, 49);
  const cancelled = { state: 'cancelled', reason: 'The account is closed.' };
  expect(await attempt()).toEqual(cancelled);
  expect(await stores.deliveries.find(delivery.deliveryId)).toMatchObject({ ...cancelled, tries: 0 });
  expect(post).not.toHaveBeenCalled();
});

test('an event that cannot be signed is a failed attempt', async () => {
  const { stores, accountId, delivery, post, attempt } = await ownUrl();
  await stores.accounts.setWebhook(accountId, { rotateTo: { secret: '', previousUntil: new Date(0) } });
  expect(await attempt()).toMatchObject({ state: 'pending', problem: expect.stringContaining('secret') });
  expect(await stores.deliveries.find(delivery.deliveryId)).toMatchObject({
    attempts: [{ status: null, error: expect.stringContaining('secret') }],
  });
  expect(post).not.toHaveBeenCalled();
});

/**
 * One attempt to an overloaded receiver; the clock jumps by `clockStepMs` while the attempt is
 * recorded.
 */
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
