import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createHold } from '../../api/hold.ts';
import { createBudget } from '../../budget.ts';

/** What of an answer matters here: it ends, or its connection goes. */
const response = () => new PassThrough().resume() as PassThrough & ServerResponse;
const owner = (name: string) => ({ keyId: name, accountId: `account of ${name}` });
const budget = () => createBudget({ total: 10, perOwner: 6 });

test('what is held goes back once the answer is out', async () => {
  const bytes = budget();
  const answer = response();
  const hold = createHold(owner('a'), answer);
  await hold.take(bytes, 4);
  await hold.take(bytes, 2);
  expect(bytes.held).toBe(6);
  answer.end();
  await expect.poll(() => bytes.held).toBe(0);
});

test('what is held goes back when the connection is gone, but not while somebody works with it', async () => {
  const bytes = budget();
  const answer = response();
  const hold = createHold(owner('a'), answer);
  await hold.take(bytes, 4);
  let finish = () => {};
  const work = hold.during(() => new Promise<void>((resolve) => (finish = resolve)));
  answer.destroy();
  await new Promise((resolve) => answer.once('close', () => setImmediate(resolve)));
  expect(bytes.held).toBe(4);
  finish();
  await work;
  expect(bytes.held).toBe(0);
  await hold.take(bytes, 1);
  expect(bytes.held).toBe(0);
});

test('a request whose connection goes while it waits leaves the queue', async () => {
  const bytes = budget();
  await createHold(owner('a'), response()).take(bytes, 6);
  const answer = response();
  const waiting = createHold(owner('a'), answer).take(bytes, 1);
  answer.destroy();
  await expect(waiting).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(createHold(owner('a'), answer).take(bytes, 1)).rejects.toMatchObject({
    code: 'invalid_request',
  });
  expect(bytes.waiting).toBe(0);
});

test("when its time is up it is refused by the key's share or fails by the process's", async () => {
  const bytes = budget();
  await createHold(owner('a'), response()).take(bytes, 6);
  await createHold(owner('b'), response()).take(bytes, 4);
  const own = createHold(owner('a'), response(), { queueMs: 1 }).take(bytes, 1);
  await expect(own).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 5 });
  const total = createHold(owner('c'), response(), { queueMs: 1 }).take(bytes, 1);
  await expect(total).rejects.toMatchObject({ code: 'internal_error', retryAfter: undefined });
  expect([bytes.held, bytes.waiting]).toEqual([10, 0]);
});

test('nobody waits in a process that stops, but what is free is granted', async () => {
  const bytes = budget();
  const closing = new AbortController();
  const hold = () => createHold(owner('a'), response(), { closing: closing.signal });
  await hold().take(bytes, 5);
  const waiting = hold().take(bytes, 6);
  closing.abort();
  const stopping = { code: 'internal_error', message: expect.stringContaining('is stopping') };
  await expect(waiting).rejects.toMatchObject(stopping);
  await expect(hold().take(bytes, 6)).rejects.toMatchObject(stopping);
  expect((await hold().take(bytes, 1)).amount).toBe(1);
  expect([bytes.held, bytes.waiting]).toEqual([6, 0]);
});

test('all waits of a request count together', async () => {
  const bytes = budget();
  const first = await createHold(owner('a'), response()).take(bytes, 6);
  const hold = createHold(owner('a'), response());
  expect(hold.waitedMs).toBe(0);
  const waiting = hold.take(bytes, 1);
  await new Promise((resolve) => setImmediate(resolve));
  first.release();
  await waiting;
  expect(hold.waitedMs).toBeGreaterThan(0);
});

test('bytes are shared by account as well as by key, so that many keys of one leave room for others', async () => {
  const bytes = createBudget({ total: 16, perOwner: 8 });
  const own = new Map(['a', 'b'].map((account) => [account, createBudget({ total: 8, perOwner: 6 })]));
  const budgets = { bytes, bytesOf: (account: string) => own.get(account) ?? bytes };
  const hold = (keyId: string, accountId: string, queueMs?: number) =>
    createHold({ keyId, accountId }, response(), queueMs === undefined ? {} : { queueMs });
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
