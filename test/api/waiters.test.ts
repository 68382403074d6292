import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createWaiters } from '../../api/waiting/waiters.ts';
import { createJobListeners } from '../../stores/job-listeners.ts';

/** A response that can end, or be destroyed like its connection. */
const fakeResponse = () => new PassThrough().resume() as PassThrough & ServerResponse;
const LONG_MS = 60_000;
const END = { status: 'completed', completedAt: new Date(), processingMs: 1 } as const;

function open(limits = { requests: 3, accountRequests: 2 }) {
  const listeners = createJobListeners();
  const waiters = createWaiters({ subscribe: listeners.add }, limits);
  const register = async (accountId: string, jobId: string = randomUUID()) => {
    const response = fakeResponse();
    const waiter = await waiters.register('prefer', { accountId, jobId, response });
    return { response, waiter, jobId };
  };
  return { listeners, waiters, register };
}

test('a waiter is told of the end of its job, also when that came before it waits', async () => {
  const { listeners, register } = open();
  const { waiter, jobId, response } = await register('a');
  const waiting = waiter?.news(LONG_MS);
  listeners.tell(jobId, END);
  expect(await waiting).toEqual(END);
  expect(await waiter?.news(LONG_MS)).toEqual(END);
  expect(waiter?.isOver).toBe(false);
  response.end();
});

test('when its time is up it knows nothing, and may wait again', async () => {
  const { listeners, register } = open();
  const { waiter, jobId, response } = await register('a');
  expect(await waiter?.news(1)).toBeUndefined();
  const again = waiter?.news(LONG_MS);
  listeners.tell(jobId, 'gone');
  expect(await again).toBe('gone');
  response.end();
});

test('account and process have so many places, which finished responses and lost clients free', async () => {
  const { listeners, waiters, register } = open();
  const [one, two] = [await register('a'), await register('a')];
  expect((await register('a')).waiter).toBeUndefined();
  const other = await register('b');
  expect((await register('c')).waiter).toBeUndefined();
  expect(waiters.counts).toEqual({ prefer: 3, events: 0 });
  const waiting = one.waiter?.news(LONG_MS);
  one.response.destroy();
  expect(await waiting).toBeUndefined();
  expect(one.waiter?.isOver).toBe(true);
  expect(await one.waiter?.news(LONG_MS)).toBeUndefined();
  const third = await register('a');
  expect(third.waiter).toBeDefined();
  for (const { response } of [two, other, third]) response.end();
  await expect.poll(() => waiters.counts.prefer).toBe(0);
  expect(listeners.size).toBe(0);
});

test('a client that went before it is registered takes no place', async () => {
  const { waiters } = open();
  const response = fakeResponse();
  response.destroy();
  await waiters.register('events', { accountId: 'a', jobId: randomUUID(), response });
  await expect.poll(() => waiters.counts).toEqual({ prefer: 0, events: 0 });
});

test('when the process shuts down, all waits end and none begins', async () => {
  const { waiters, register } = open();
  const { waiter, response } = await register('a');
  const waiting = waiter?.news(LONG_MS);
  waiters.close();
  expect(await waiting).toBeUndefined();
  expect(await waiter?.news(LONG_MS)).toBeUndefined();
  expect(waiter?.isOver).toBe(true);
  expect((await register('b')).waiter).toBeUndefined();
  response.end();
});
