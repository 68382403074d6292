import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createRequestPermits } from '../../api/admission/request-permits.ts';
import { createLimit } from '../../lib/admission/limit.ts';

/** A response that can end, or be destroyed like its connection. */
const fakeResponse = () => new PassThrough().resume() as PassThrough & ServerResponse;
const owner = (name: string) => ({ keyId: name, accountId: `account of ${name}` });
const tenBytes = () => createLimit({ total: 10, perOwner: 6 });

test('permits are released when the request is done, even if its connection has closed before', async () => {
  const bytes = tenBytes();
  const response = fakeResponse();
  {
    using permits = createRequestPermits(owner('a'), response);
    await permits.take(bytes, 4);
    await permits.take(bytes, 2);
    response.destroy();
    await new Promise((resolve) => response.once('close', () => setImmediate(resolve)));
    expect(bytes.held).toBe(6);
  }
  expect(bytes.held).toBe(0);
});

test('a permit that is granted after its request is done is released', async () => {
  const bytes = tenBytes();
  const other = createRequestPermits(owner('a'), fakeResponse());
  await other.take(bytes, 6);
  const done = createRequestPermits(owner('a'), fakeResponse());
  const late = done.take(bytes, 2);
  done[Symbol.dispose]();
  other[Symbol.dispose]();
  await late;
  expect(bytes.held).toBe(0);
});

test('a request whose connection closes while it waits leaves the queue', async () => {
  const bytes = tenBytes();
  await createRequestPermits(owner('a'), fakeResponse()).take(bytes, 6);
  const response = fakeResponse();
  const waiting = createRequestPermits(owner('a'), response).take(bytes, 1);
  response.destroy();
  await expect(waiting).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(createRequestPermits(owner('a'), response).take(bytes, 1)).rejects.toMatchObject({
    code: 'invalid_request',
  });
  expect(bytes.waiting).toBe(0);
});

test("a wait that times out is rate_limited by the key's share and internal_error by the total", async () => {
  const bytes = tenBytes();
  await createRequestPermits(owner('a'), fakeResponse()).take(bytes, 6);
  await createRequestPermits(owner('b'), fakeResponse()).take(bytes, 4);
  const overShare = createRequestPermits(owner('a'), fakeResponse(), { queueMs: 1 }).take(bytes, 1);
  await expect(overShare).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 5 });
  const overTotal = createRequestPermits(owner('c'), fakeResponse(), { queueMs: 1 }).take(bytes, 1);
  await expect(overTotal).rejects.toMatchObject({ code: 'internal_error', retryAfter: undefined });
  expect([bytes.held, bytes.waiting]).toEqual([10, 0]);
});

test('no request waits in a process that shuts down, but what is free is granted', async () => {
  const bytes = tenBytes();
  const closing = new AbortController();
  const permits = () => createRequestPermits(owner('a'), fakeResponse(), { closing: closing.signal });
  await permits().take(bytes, 5);
  const waiting = permits().take(bytes, 6);
  closing.abort();
  const stopping = { code: 'internal_error', message: expect.stringContaining('is stopping') };
  await expect(waiting).rejects.toMatchObject(stopping);
  await expect(permits().take(bytes, 6)).rejects.toMatchObject(stopping);
  expect((await permits().take(bytes, 1)).amount).toBe(1);
  expect([bytes.held, bytes.waiting]).toEqual([6, 0]);
});

test('the waits of a request are added up', async () => {
  const bytes = tenBytes();
  const first = await createRequestPermits(owner('a'), fakeResponse()).take(bytes, 6);
  const permits = createRequestPermits(owner('a'), fakeResponse());
  expect(permits.waitedMs).toBe(0);
  const waiting = permits.take(bytes, 1);
  await new Promise((resolve) => setImmediate(resolve));
  first.release();
  await waiting;
  expect(permits.waitedMs).toBeGreaterThan(0);
});

test('bytes are limited per account as well as per key, so that many keys of one account leave room for others', async () => {
  const bytes = createLimit({ total: 16, perOwner: 8 });
  const accounts = new Map(['a', 'b'].map((account) => [account, createLimit({ total: 8, perOwner: 6 })]));
  const limits = { bytes, bytesOf: (account: string) => accounts.get(account) ?? bytes };
  const permits = (keyId: string, accountId: string, queueMs?: number) =>
    createRequestPermits({ keyId, accountId }, fakeResponse(), queueMs === undefined ? {} : { queueMs });
  const first = await permits('1', 'a').takeBytes(limits, 6);
  await permits('2', 'a').takeBytes(limits, 2);
  await expect(permits('3', 'a', 1).takeBytes(limits, 1)).rejects.toMatchObject({ code: 'rate_limited' });
  await permits('4', 'b').takeBytes(limits, 6);
  expect(bytes.held).toBe(14);
  first.shrink(1);
  await permits('3', 'a', 1).takeBytes(limits, 1);
  first.release();
  expect(bytes.held).toBe(9);
});
