import { describe, expect, test } from 'vitest';
import { createDeliveryLimits } from '../../../activities/webhooks/delivery-limits.ts';
import { webhookPolicy } from '../../../activities/webhooks/policy.ts';
import { endedOf, simulateWorker } from './simulation.ts';

const SLOTS = 100;
const QUICK = 50;
const HANGING = 15_000;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

const account = (name: string | number, receiver = name) => ({
  accountId: `account-${name}`,
  receiver: `https://receiver-${receiver}.test`,
});
const each = <T>(count: number, create: (n: number) => T[]): T[] =>
  Array.from({ length: count }, (_, n) => create(n)).flat();

describe('a new account', () => {
  test('holds one slot until the first response, then more with each quick one', async () => {
    const worker = simulateWorker(SLOTS);
    worker.send(account(1), 500, 200);
    await worker.run(499);
    expect(worker.inProgress()).toBe(1);
    const inProgress = [];
    for (let n = 0; n < 20; n += 1) {
      await worker.run(250);
      inProgress.push(worker.inProgress());
    }
    expect(Math.max(...inProgress)).toBeGreaterThan(12);
    expect(Math.max(...inProgress)).toBeLessThanOrEqual(SLOTS / 4);
  });

  test('holds one slot for all its receivers that have not responded yet', async () => {
    const worker = simulateWorker(SLOTS);
    each(200, (n) => worker.send(account('a', n), HANGING));
    await worker.run(SECOND);
    expect(worker.inProgress()).toBe(1);
  });

  test.each([20, 60])('delivers all its webhooks while those of %i other accounts hang', async (accounts) => {
    const worker = simulateWorker(SLOTS);
    const slow = each(accounts, (n) => worker.send(account(n), HANGING, 100));
    await worker.run(SECOND);
    const quick = worker.send(account('quick'), QUICK, 100);
    await worker.run(10 * SECOND);
    expect([endedOf(quick), endedOf(slow)]).toEqual([100, 0]);
  });

  test('delivers all its webhooks while other accounts use a new hanging receiver each time', async () => {
    const worker = simulateWorker(SLOTS);
    const slow = each(60, (n) => each(50, (k) => worker.send(account(n, `${n}-${k}`), HANGING)));
    await worker.run(3 * SECOND);
    const quick = worker.send(account('quick'), QUICK, 100);
    await worker.run(10 * SECOND);
    expect([endedOf(quick), endedOf(slow)]).toEqual([100, 0]);
  });
});

describe('slow receivers', () => {
  test('hold at most half of the slots once they are known to be slow', async () => {
    const worker = simulateWorker(SLOTS);
    each(120, (n) => worker.send(account(n), HANGING, 10));
    await worker.run(3 * MINUTE);
    for (let n = 0; n < 60; n += 1) {
      await worker.run(SECOND);
      expect(worker.inProgress()).toBeLessThanOrEqual(SLOTS / 2);
    }
    const quick = each(20, (n) => worker.send(account(`quick-${n}`), QUICK, 10));
    await worker.run(10 * SECOND);
    expect(endedOf(quick)).toBe(200);
  });

  test('hold several slots each while there is no other traffic', async () => {
    const worker = simulateWorker(SLOTS);
    worker.send(account(1), 3 * SECOND, 200);
    await worker.run(10 * SECOND);
    expect(worker.inProgress()).toBeGreaterThan(12);
  });

  test('do not delay a quick receiver of the same account', async () => {
    const worker = simulateWorker(SLOTS);
    const quick = worker.send(account('a', 'quick'), QUICK, 20);
    await worker.run(10 * SECOND);
    const slow = worker.send(account('a', 'slow'), HANGING, 100);
    await worker.run(3 * SECOND);
    quick.push(...worker.send(account('a', 'quick'), QUICK, 20));
    await worker.run(3 * SECOND);
    expect([endedOf(quick), endedOf(slow)]).toEqual([40, 0]);
  });

  test('that used to be quick and all start to hang leave slots to other accounts', async () => {
    const worker = simulateWorker(SLOTS);
    each(20, (n) => worker.send(account(n), QUICK, 50));
    await worker.run(MINUTE);
    expect(worker.inProgress()).toBe(0);
    const slow = each(20, (n) => worker.send(account(n), HANGING, 50));
    const quick = worker.send(account('quick'), QUICK, 20);
    await worker.run(10 * SECOND);
    expect(worker.inProgress()).toBeGreaterThan(SLOTS / 2);
    expect([endedOf(quick), endedOf(slow)]).toEqual([20, 0]);
  });
});

test('one receiver of many accounts gets at most as many concurrent deliveries as connections', async () => {
  const worker = simulateWorker(400);
  each(300, (n) => worker.send(account(n, 'shared'), HANGING, 2));
  await worker.run(SECOND);
  expect(worker.inProgress()).toBe(50);
});

test('an aborted exchange does not count for or against its receiver', async () => {
  const limits = createDeliveryLimits(webhookPolicy({ slots: SLOTS }));
  const controller = new AbortController();
  const { signal } = controller;
  const first = limits.acquire(account(1), false);
  if ('waitMs' in first) throw new Error('the first delivery has to wait');
  const exchange = first.exchange(
    () => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    signal,
  );
  controller.abort();
  await expect(exchange).rejects.toBe(signal.reason);
  first.release();
  expect(limits.acquire(account(1), true)).not.toHaveProperty('waitMs');
  expect(limits.acquire(account(1), true)).toHaveProperty('waitMs');
});

test('the only slot of a worker serves quick and slow receivers in turn', async () => {
  const worker = simulateWorker(1);
  const deliveries = each(3, (n) => worker.send(account(n), n === 0 ? HANGING : QUICK, 5));
  await worker.run(10 * MINUTE);
  expect(endedOf(deliveries)).toBe(15);
});
