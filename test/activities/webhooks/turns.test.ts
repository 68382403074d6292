import { expect, test } from 'vitest';
import { createDeliveryLimits, type DeliveryPermit } from '../../../activities/webhooks/delivery-limits.ts';
import { webhookPolicy } from '../../../activities/webhooks/policy.ts';
import { createReceivers } from '../../../activities/webhooks/receivers.ts';
import { endedOf, simulateWorker } from './simulation.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HANGING = 15 * SECOND;

const to = { accountId: 'a', receiver: 'https://hook.test' };

test('10,000 deliveries waiting for a receiver that hangs try rarely, and no single wait is long', async () => {
  const worker = simulateWorker(100);
  const waiting = worker.send(to, HANGING, 10_000);
  const tries = () => waiting.reduce((sum, delivery) => sum + delivery.tries, 0);
  await worker.run(5 * MINUTE);
  const triesBefore = tries();
  await worker.run(10 * MINUTE);
  // Each of them about once in 15 minutes.
  expect(tries() - triesBefore).toBeLessThan(10_000);
  expect(Math.max(...waiting.map(({ longestWaitMs }) => longestWaitMs))).toBeLessThan(19 * MINUTE);
});

test('when the receiver recovers, new deliveries start at once and waiting ones within their longest wait', async () => {
  const worker = simulateWorker(100);
  const waiting = worker.send(to, HANGING, 2000);
  await worker.run(10 * MINUTE);
  for (const delivery of waiting) delivery.responseMs = 50;
  await worker.run(MINUTE);
  const fresh = worker.send(to, 50, 5);
  await worker.run(0);
  // Independent of the deliveries in progress at this moment.
  expect(fresh.map(({ tries, longestWaitMs }) => [tries, longestWaitMs])).toEqual(fresh.map(() => [1, 0]));
  await worker.run(19 * MINUTE);
  expect([endedOf(fresh), endedOf(waiting)]).toEqual([5, 2000]);
});

test('deliveries to a slow receiver that have waited start before new ones', async () => {
  let clock = 0;
  const limits = createDeliveryLimits(webhookPolicy({ slots: 2 }), () => clock);
  const { signal } = new AbortController();
  const taken = (permit: DeliveryPermit | { waitMs: number }) => {
    if ('waitMs' in permit) throw new Error('the delivery has to wait');
    return permit;
  };
  const first = taken(limits.acquire(to, false));
  let respond = () => {};
  const exchange = first.exchange(() => new Promise<void>((resolve) => (respond = resolve)), signal);
  clock = 5 * SECOND;
  expect(limits.acquire(to, false)).toHaveProperty('waitMs');
  respond();
  await exchange;
  first.release();
  expect(limits.acquire(to, false)).toHaveProperty('waitMs');
  taken(limits.acquire(to, true));
});

test('the state of accounts and receivers is bounded: the least recently used is evicted', () => {
  const receivers = createReceivers(10);
  const standing = (accountId: string, receiver = 'r') => receivers.of({ accountId, receiver }).standing;
  const respond = (accountId: string, receiver = 'r') =>
    receivers.ended({ accountId, receiver }, receivers.of({ accountId, receiver }), 5, true);
  respond('first');
  respond('second');
  for (let n = 0; n < 1998; n += 1) respond(`other-${n}`);
  expect(standing('first')).toBe('quick');
  respond('one more');
  expect([standing('first'), standing('second')]).toEqual(['quick', 'unknown']);
  for (let n = 0; n < 100; n += 1) respond('first', `r-${n}`);
  expect([standing('first'), standing('first', 'r-0')]).toEqual(['unknown', 'quick']);
});
