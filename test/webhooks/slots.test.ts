import { describe, expect, test } from 'vitest';
import { webhookPolicy } from '../../activities/webhook-policy.ts';
import { createWebhookSlots } from '../../activities/webhook-slots.ts';
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

describe('an account nobody knows', () => {
  test('holds one slot until an answer has come, and then more with every quick one', async () => {
    const worker = simulateWorker(SLOTS);
    worker.send(account(1), 500, 200);
    await worker.run(499);
    expect(worker.underWay()).toBe(1);
    const grown = [];
    for (let n = 0; n < 20; n += 1) {
      await worker.run(250);
      grown.push(worker.underWay());
    }
    expect(Math.max(...grown)).toBeGreaterThan(12);
    expect(Math.max(...grown)).toBeLessThanOrEqual(SLOTS / 4);
  });

  test('holds one slot for all its receivers without an answer', async () => {
    const worker = simulateWorker(SLOTS);
    each(200, (n) => worker.send(account('a', n), HANGING));
    await worker.run(SECOND);
    expect(worker.underWay()).toBe(1);
  });

  test.each([20, 60])('gets all its deliveries through while those of %i others hang', async (others) => {
    const worker = simulateWorker(SLOTS);
    const slow = each(others, (n) => worker.send(account(n), HANGING, 100));
    await worker.run(SECOND);
    const quick = worker.send(account('quick'), QUICK, 100);
    await worker.run(10 * SECOND);
    expect([endedOf(quick), endedOf(slow)]).toEqual([100, 0]);
  });

  test('gets through as well while others hang with receivers that are new each time', async () => {
    const worker = simulateWorker(SLOTS);
    const slow = each(60, (n) => each(50, (k) => worker.send(account(n, `${n}-${k}`), HANGING)));
    await worker.run(3 * SECOND);
    const quick = worker.send(account('quick'), QUICK, 100);
    await worker.run(10 * SECOND);
    expect([endedOf(quick), endedOf(slow)]).toEqual([100, 0]);
  });
});

describe('slow receivers', () => {
  test('hold no more than half of the slots once they are known', async () => {
    const worker = simulateWorker(SLOTS);
    each(120, (n) => worker.send(account(n), HANGING, 10));
    await worker.run(3 * MINUTE);
    for (let n = 0; n < 60; n += 1) {
      await worker.run(SECOND);
      expect(worker.underWay()).toBeLessThanOrEqual(SLOTS / 2);
    }
    const quick = each(20, (n) => worker.send(account(`quick-${n}`), QUICK, 10));
    await worker.run(10 * SECOND);
    expect(endedOf(quick)).toBe(200);
  });

  test('have several slots each while there is nobody else', async () => {
    const worker = simulateWorker(SLOTS);
    worker.send(account(1), 3 * SECOND, 200);
    await worker.run(10 * SECOND);
    expect(worker.underWay()).toBeGreaterThan(12);
  });

  test('do not hold up a quick receiver of the same account', async () => {
    const worker = simulateWorker(SLOTS);
    const quick = worker.send(account('a', 'quick'), QUICK, 20);
    await worker.run(10 * SECOND);
    const slow = worker.send(account('a', 'slow'), HANGING, 100);
    await worker.run(3 * SECOND);
    quick.push(...worker.send(account('a', 'quick'), QUICK, 20));
    await worker.run(3 * SECOND);
    expect([endedOf(quick), endedOf(slow)]).toEqual([40, 0]);
  });

  test('that were quick before and hang all at once leave slots to others', async () => {
    const worker = simulateWorker(SLOTS);
    each(20, (n) => worker.send(account(n), QUICK, 50));
    await worker.run(MINUTE);
    expect(worker.underWay()).toBe(0);
    const slow = each(20, (n) => worker.send(account(n), HANGING, 50));
    const quick = worker.send(account('quick'), QUICK, 20);
    await worker.run(10 * SECOND);
    expect(worker.underWay()).toBeGreaterThan(SLOTS / 2);
    expect([endedOf(quick), endedOf(slow)]).toEqual([20, 0]);
  });
});

test('one receiver of many accounts gets no more deliveries at a time than there are connections to it', async () => {
  const worker = simulateWorker(400);
  each(300, (n) => worker.send(account(n, 'shared'), HANGING, 2));
  await worker.run(SECOND);
  expect(worker.underWay()).toBe(50);
});

test('an exchange that was broken off says nothing about its receiver', async () => {
  const slots = createWebhookSlots(webhookPolicy({ slots: SLOTS }));
  const cut = new AbortController();
  const first = slots.take(account(1), false);
  if ('waitMs' in first) throw new Error('the first delivery has to wait');
  const exchange = first.exchange(
    () => new Promise((_, reject) => cut.signal.addEventListener('abort', () => reject(cut.signal.reason))),
    cut.signal,
  );
  cut.abort();
  await expect(exchange).rejects.toBe(cut.signal.reason);
  first.leave();
  expect(slots.take(account(1), true)).not.toHaveProperty('waitMs');
  expect(slots.take(account(1), true)).toHaveProperty('waitMs');
});

test('the only slot of a worker goes from one delivery to the next, whatever their receivers are like', async () => {
  const worker = simulateWorker(1);
  const deliveries = each(3, (n) => worker.send(account(n), n === 0 ? HANGING : QUICK, 5));
  await worker.run(10 * MINUTE);
  expect(endedOf(deliveries)).toBe(15);
});
