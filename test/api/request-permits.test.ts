import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createHold } from '../../api/admission/request-permits.ts';
import { createLimit } from '../../lib/admission/limit.ts';

/** A response that can end, or be destroyed like its connection. */
const fakeResponse = () => new PassThrough().resume() as PassThrough & ServerResponse;
const owner = (name: string) => ({ keyId: name, accountId: `account of ${name}` });
const budget = () => createLimit({ total: 10, perOwner: 6 });

test('leases are released when the response is sent', async () => {
  const bytes = budget();
  const response = fakeResponse();
  const hold = createHold(owner('a'), response);
  await hold.take(bytes, 4);
  await hold.take(bytes, 2);
  expect(bytes.held).toBe(6);
  response.end();
  await expect.poll(() => bytes.held).toBe(0);
});

test('leases are released when the connection closes, but not while work uses them', async () => {
  const bytes = budget();
  const response = fakeResponse();
  const hold = createHold(owner('a'), response);
  await hold.take(bytes, 4);
  let finish = () => {};
  const work = hold.during(() => new Promise<void>((resolve) => (finish = resolve)));
  response.destroy();
  await new Promise((resolve) => response.once('close', () => setImmediate(resolve)));
  expect(bytes.held).toBe(4);
  finish();
  await work;
  expect(bytes.held).toBe(0);
  await hold.take(bytes, 1);
  expect(bytes.held).toBe(0);
});

test('a request whose connection closes while it waits leaves the queue', async () => {
  const bytes = budget();
  await createHold(owner('a'), fakeResponse()).take(bytes, 6);
  const response = fakeResponse();
  const waiting = createHold(owner('a'), response).take(bytes, 1);
  response.destroy();
  await expect(waiting).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(createHold(owner('a'), response).take(bytes, 1)).rejects.toMatchObject({
    code: 'invalid_request',
  });
  expect(bytes.waiting).toBe(0);
});

test("a wait that times out is rate_limited by the key's share and internal_error by the total", async () => {
  const bytes = budget();
  await createHold(owner('a'), fakeResponse()).take(bytes, 6);
  await createHold(owner('b'), fakeResponse()).take(bytes, 4);
  const overShare = createHold(owner('a'), fakeResponse(), { queueMs: 1 }).take(bytes, 1);
  await expect(overShare).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 5 });
  const overTotal = createHold(owner('c'), fakeResponse(), { queueMs: 1 }).take(bytes, 1);
  await expect(overTotal).rejects.toMatchObject({ code: 'internal_error', retryAfter: undefined });
  expect([bytes.held, bytes.waiting]).toEqual([10, 0]);
});

test('no request waits in a process that shuts down, but what is free is granted', async () => {
  const bytes = budget();
  const closing = new AbortController();
  const hold = () => createHold(owner('a'), fakeResponse(), { closing: closing.signal });
  await hold().take(bytes, 5);
  const waiting = hold().take(bytes, 6);
  closing.abort();
  const stopping = { code: 'internal_error', message: expect.stringContaining('is stopping') };
  await expect(waiting).rejects.toMatchObject(stopping);
  await expect(hold().take(bytes, 6)).rejects.toMatchObject(stopping);
  expect((await hold().take(bytes, 1)).amount).toBe(1);
  expect([bytes.held, bytes.waiting]).toEqual([6, 0]);
});

test('the waits of a request are added up', async () => {
  const bytes = budget();
  const first = await createHold(owner('a'), fakeResponse()).take(bytes, 6);
  const hold = createHold(owner('a'), fakeResponse());
  expect(hold.waitedMs).toBe(0);
  const waiting = hold.take(bytes, 1);
  await new Promise((resolve) => setImmediate(resolve));
  first.release();
  await waiting;
  expect(hold.waitedMs).toBeGreaterThan(0);
});

test('bytes are limited per account as well as per key, so that many keys of one account leave room for others', async () => {
  const bytes = createLimit({ total: 16, perOwner: 8 });
  const accounts = new Map(['a', 'b'].map((account) => [account, createLimit({ total: 8, perOwner: 6 })]));
  const budgets = { bytes, bytesOf: (account: string) => accounts.get(account) ?? bytes };
  const hold = (keyId: string, accountId: string, queueMs?: number) =>
    createHold({ keyId, accountId }, fakeResponse(), queueMs === undefined ? {} : { queueMs });
  const first = await hold('1', 'a').takeBytes(budgets, 6);
  await hold('2', 'a').takeBytes(budgets, 2);
  await expect(hold('3', 'a', 1).takeBytes(budgets, 1)).rejects.toMatchObject({ code: 'rate_limited' });
  await hold('4', 'b').takeBytes(budgets, 6);
  expect(bytes.held).toBe(14);
  first.shrink(1);
  await hold('3', 'a', 1).takeBytes(budgets, 1);
  first.release();
  expect(bytes.held).toBe(9);
});
