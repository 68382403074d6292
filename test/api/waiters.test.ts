import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createWaiters } from '../../api/waiting/waiters.ts';
import { createJobListeners } from '../../lib/stores/job-feed.ts';

/** A response that can end, or be destroyed like its connection. */
const fakeResponse = () => new PassThrough().resume() as PassThrough & ServerResponse;
const LONG_MS = 60_000;
const END = { status: 'completed', completedAt: new Date(), processingMs: 1 } as const;

function open(limits = { requests: 3, accountRequests: 2 }, heartbeatMs?: number) {
  const listeners = createJobListeners();
  const waiters = createWaiters({ subscribe: listeners.add }, limits, heartbeatMs);
  /** Accounts whose keys are revoked; those of `unknown` cannot be checked. */
  const revoked = new Set<string>();
  const isRevoked = async (accountId: string) => {
    if (accountId === 'unknown') throw new Error('MongoDB is away.');
    return revoked.has(accountId);
  };
  const register = async (accountId: string, jobId: string = randomUUID()) => {
    const response = fakeResponse();
    const waiting = { accountId, jobId, response, isRevoked: () => isRevoked(accountId) };
    const waiter = await waiters.register('prefer', waiting);
    return { response, waiter, jobId };
  };
  return { listeners, waiters, register, revoked };
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

test('account and process have so many permits, which finished responses and lost clients release', async () => {
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

test('a client that went before it is registered takes no permit', async () => {
  const { waiters } = open();
  const response = fakeResponse();
  response.destroy();
  const isRevoked = async () => false;
  await waiters.register('events', { accountId: 'a', jobId: randomUUID(), response, isRevoked });
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

test('a waiter whose key was revoked is told so in place of the end of its job', async () => {
  const { listeners, register, revoked } = open();
  const [one, other] = [await register('a'), await register('b')];
  const waiting = one.waiter?.news(LONG_MS);
  revoked.add('a');
  for (const { jobId } of [one, other]) listeners.tell(jobId, END);
  expect(await waiting).toBe('revoked');
  expect(await other.waiter?.news(LONG_MS)).toEqual(END);
  for (const { response } of [one, other]) response.end();
});

test('a waiter whose key was revoked ends at the next heartbeat, and others wait on', async () => {
  const { register, revoked } = open({ requests: 3, accountRequests: 2 }, 1);
  const waiters = [await register('a'), await register('unknown'), await register('a')];
  const [waiting, other] = waiters.map(({ waiter }) => waiter?.news(LONG_MS));
  revoked.add('a');
  expect(await waiting).toBe('revoked');
  expect(await waiters[2]?.waiter?.news(LONG_MS)).toBe('revoked');
  waiters[1]?.response.end();
  expect(await other).toBeUndefined();
  for (const { response } of waiters) response.end();
});

test('a waiter whose key cannot be checked is not told of the end of its job, and may ask again', async () => {
  const { listeners, register } = open();
  const { waiter, jobId, response } = await register('unknown');
  const waiting = waiter?.news(LONG_MS);
  listeners.tell(jobId, END);
  expect(await waiting).toBeUndefined();
  expect(waiter?.isOver).toBe(true);
  response.end();
});

test('accounts that take all they can leave permits for others', async () => {
  const { waiters, register } = open({ requests: 100, accountRequests: 20 });
  const responses: PassThrough[] = [];
  const take = async (accountId: string) => {
    for (let held = 0; ; held += 1) {
      const { waiter, response } = await register(accountId);
      responses.push(response);
      if (waiter === undefined) return held;
    }
  };
  const held: number[] = [];
  for (const accountId of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) held.push(await take(accountId));
  expect(held).toEqual([20, 20, 20, 20, 11, 5, 3]);
  expect(waiters.counts.prefer).toBe(99);
  // An account that holds many gets none of the permits that become free.
  responses[0]?.destroy();
  await expect.poll(() => waiters.counts.prefer).toBe(98);
  expect((await register('b')).waiter).toBeUndefined();
  const { waiter, response } = await register('h');
  expect(waiter).toBeDefined();
  for (const each of [...responses, response]) each.destroy();
  await expect.poll(() => waiters.counts.prefer).toBe(0);
});
