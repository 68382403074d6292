import { expect, test } from 'vitest';
import { createPaces } from '../../activities/receiver-pace.ts';
import { webhookPolicy } from '../../activities/webhook-policy.ts';
import { createWebhookSlots, type WebhookSlot } from '../../activities/webhook-slots.ts';
import { endedOf, simulateWorker } from './simulation.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HANGING = 15 * SECOND;

const to = { accountId: 'a', receiver: 'https://hook.test' };

test('10,000 deliveries that wait for a receiver that hangs ask seldom, and none waits for long at a time', async () => {
  const worker = simulateWorker(100);
  const waiting = worker.send(to, HANGING, 10_000);
  const asks = () => waiting.reduce((sum, delivery) => sum + delivery.asks, 0);
  await worker.run(5 * MINUTE);
  const before = asks();
  await worker.run(10 * MINUTE);
  // Each of them about once in a quarter of an hour.
  expect(asks() - before).toBeLessThan(10_000);
  expect(Math.max(...waiting.map(({ longestWaitMs }) => longestWaitMs))).toBeLessThan(19 * MINUTE);
});

test('once the receiver answers again, new deliveries go at once and all that waited within their longest wait', async () => {
  const worker = simulateWorker(100);
  const waiting = worker.send(to, HANGING, 2000);
  await worker.run(10 * MINUTE);
  for (const delivery of waiting) delivery.lastsMs = 50;
  await worker.run(MINUTE);
  const late = worker.send(to, 50, 5);
  await worker.run(0);
  // Whatever else happens to be under way at this moment.
  expect(late.map(({ asks, longestWaitMs }) => [asks, longestWaitMs])).toEqual(late.map(() => [1, 0]));
  await worker.run(19 * MINUTE);
  expect([endedOf(late), endedOf(waiting)]).toEqual([5, 2000]);
});

test('with a slow receiver those that have waited go before those that ask for the first time', async () => {
  let clock = 0;
  const slots = createWebhookSlots(webhookPolicy({ slots: 2 }), () => clock);
  const { signal } = new AbortController();
  const taken = (slot: WebhookSlot | { waitMs: number }) => {
    if ('waitMs' in slot) throw new Error('the delivery has to wait');
    return slot;
  };
  const first = taken(slots.take(to, false));
  let answer = () => {};
  const exchange = first.exchange(() => new Promise<void>((resolve) => (answer = resolve)), signal);
  clock = 5 * SECOND;
  expect(slots.take(to, false)).toHaveProperty('waitMs');
  answer();
  await exchange;
  first.leave();
  expect(slots.take(to, false)).toHaveProperty('waitMs');
  taken(slots.take(to, true));
});

test('what is known of accounts and receivers is bounded: those unused for longest are forgotten', () => {
  const paces = createPaces(10);
  const standing = (accountId: string, receiver = 'r') => paces.of({ accountId, receiver }).standing;
  const answer = (accountId: string, receiver = 'r') =>
    paces.ended({ accountId, receiver }, paces.of({ accountId, receiver }), 5, true);
  answer('first');
  answer('second');
  for (let n = 0; n < 1998; n += 1) answer(`other-${n}`);
  expect(standing('first')).toBe('quick');
  answer('one more');
  expect([standing('first'), standing('second')]).toEqual(['quick', 'unknown']);
  for (let n = 0; n < 100; n += 1) answer('first', `r-${n}`);
  expect([standing('first'), standing('first', 'r-0')]).toEqual(['unknown', 'quick']);
});
