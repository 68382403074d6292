import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApiLimits } from '../../api/admission/limits.ts';
import { createUnpaidFetches } from '../../api/admission/unpaid-fetches.ts';
import { digestApiKey, issueApiKey } from '../../lib/domain/api-key.ts';
import { createEgress } from '../../lib/egress/egress.ts';
import { startFakeApi } from '../contract/fake-api.ts';
import { outcome } from '../contract/responses.ts';
import { serveHttp } from '../lib/egress/servers.ts';
import { closers } from '../setup/closers.ts';
import { sampleJpeg } from '../setup/images.ts';
import { newKey } from '../setup/records.ts';

const MB = 1024 * 1024;
/** Of an account in a minute; so its dry runs have 1 MB, and a host 16 MB. */
const UNPAID_BYTES = 8 * MB;

type Api = Awaited<ReturnType<typeof startFakeApi>>;
type Headers = Record<string, string>;

let photo: Buffer;
let stack: ReturnType<typeof closers>;
let served: { path: string | undefined; bytes: number }[];
let api: Api;
let first: string;
let second: string;
/** The server of `first` by another name. */
let alias: string;

beforeAll(async () => {
  photo = await sampleJpeg();
});
beforeEach(async () => {
  stack = closers();
  served = [];
  const servers = [stack.use(await serveHttp(serve)), stack.use(await serveHttp(serve))];
  [first = '', second = ''] = servers.map(({ origin }) => origin);
  alias = first.replace('127.0.0.1', 'localhost');
  const egress = stack.use(createEgress({ allowOrigins: [first, second, alias] }));
  const limits = createApiLimits({ bytesInFlight: 256 * MB, unpaidBytesPerMinute: UNPAID_BYTES });
  api = stack.use(await startFakeApi(photo, { egress, limits }));
});
afterEach(() => stack.close());

/**
 * `/photo` is an image of 512 KB, `/bad` is none but begins like one and has a MB, `/to/URL`
 * redirects.
 */
function serve({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const [, path, target = ''] = /^\/(\w+)\/?(.*)/.exec(url) ?? [];
  const bytes =
    path === 'bad' ? Buffer.concat([photo.subarray(0, 3), Buffer.alloc(MB - 3)]) : padded(512 * 1024);
  served.push({ path, bytes: path === 'to' ? 0 : bytes.length });
  if (path === 'to') response.writeHead(302, { location: decodeURIComponent(target) }).end();
  else response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': bytes.length }).end(bytes);
}
const padded = (size: number) => Buffer.concat([photo, Buffer.alloc(size - photo.length)]);
const servedBytes = () => served.reduce((sum, { bytes }) => sum + bytes, 0);

const post = (headers: Headers, image_url: string, query = '') =>
  api.app.inject({
    method: 'POST',
    url: `/api/v1/jobs${query}`,
    headers,
    payload: { tool: 'declutter', image_url },
  });
const dryRun = (headers: Headers, image_url: string) => post(headers, image_url, '?dry_run=true');
const messageOf = (response: Awaited<ReturnType<typeof post>>) => response.json().error.message as string;

/** Another key of an account. */
async function anotherKey(accountId: string): Promise<Headers> {
  const apiKey = issueApiKey(api.config.keyPrefix);
  await newKey(api.stores, accountId, digestApiKey(apiKey));
  return { 'x-api-key': apiKey };
}
/**
 * Sends requests for `/bad`, one after the other, until one is refused. @returns how many were not
 */
async function waste(headers: Headers, origin: string, most = 100): Promise<number> {
  for (let n = 0; n < most; n += 1) {
    const response = await post(headers, `${origin}/bad`);
    if (outcome(response) === '429 rate_limited') return n;
    expect(outcome(response)).toBe('400 invalid_image');
  }
  return most;
}

test('the keys of one account share what it may fetch unpaid, and other accounts do not', async () => {
  const keys = [api.headers, await anotherKey(api.accountId), await anotherKey(api.accountId)];
  let answered = 0;
  for (const key of keys) answered += await waste(key, first);
  expect(answered).toBe(7);
  expect(servedBytes()).toBe(7 * MB);
  const refused = await post(api.headers, `${first}/photo`);
  expect(messageOf(refused)).toMatch(
    /^This account has fetched 8 MB in a minute by image_url for requests that were not charged\. Retry in \d+ seconds\.$/,
  );
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(outcome(await post((await api.client()).headers, `${first}/photo`))).toBe('201');
});

describe('dry runs', () => {
  test('have a small share of it, also when many are sent at once with several keys', async () => {
    const keys = [api.headers, await anotherKey(api.accountId), await anotherKey(api.accountId)];
    const requests = keys.flatMap((key) => Array.from({ length: 8 }, () => dryRun(key, `${first}/photo`)));
    const outcomes = (await Promise.all(requests)).map(outcome);
    expect(new Set(outcomes)).toEqual(new Set(['200', '429 rate_limited']));
    for (let n = 0; n < 4; n += 1) await dryRun(api.headers, `${first}/photo`);
    const refused = await dryRun(api.headers, `${first}/photo`);
    expect(messageOf(refused)).toMatch(
      /^This account has fetched 1 MB in a minute by image_url for dry runs,/,
    );
    // The share, and the one that crosses it.
    expect(outcomes.filter((each) => each === '200').length * 512 * 1024).toBeLessThan(1.5 * MB);
    expect(outcome(await post(api.headers, `${first}/photo`))).toBe('201');
  });

  test('that send the image themselves are not limited', async () => {
    await waste(api.headers, first);
    const payload = { tool: 'declutter', image_base64: photo.toString('base64') };
    const sent = { method: 'POST', url: '/api/v1/jobs?dry_run=true', headers: api.headers, payload } as const;
    expect(outcome(await api.app.inject(sent))).toBe('200');
  });
});

describe('jobs that are charged', () => {
  test('use up nothing, not even before they are', async () => {
    const { accept } = api.gateway;
    const accepting: (() => void)[] = [];
    api.gateway.accept = async (...request) => {
      await new Promise<void>((resolve) => accepting.push(resolve));
      return accept(...request);
    };
    const jobs = Array.from({ length: 40 }, () => post(api.headers, `${first}/photo`));
    await expect.poll(() => accepting.length).toBe(40);
    for (const acceptNow of accepting) acceptNow();
    expect(new Set((await Promise.all(jobs)).map(outcome))).toEqual(new Set(['201']));
    expect(outcome(await dryRun(api.headers, `${first}/photo`))).toBe('200');
  });

  test('count when another request with their Idempotency-Key is charged instead', async () => {
    const headers = { ...api.headers, 'idempotency-key': 'one' };
    const { accept } = api.gateway;
    const accepting: (() => void)[] = [];
    api.gateway.accept = async (...request) => {
      await new Promise<void>((resolve) => accepting.push(resolve));
      return accept(...request);
    };
    const jobs = Array.from({ length: 12 }, () => post(headers, `${first}/photo`));
    await expect.poll(() => accepting.length).toBe(12);
    for (const acceptNow of accepting) acceptNow();
    expect(new Set((await Promise.all(jobs)).map(outcome))).toEqual(new Set(['201']));
    expect(api.stores.books.jobs.size).toBe(1);
    // 11 requests of 768 KB.
    expect(outcome(await post(api.headers, `${first}/photo`))).toBe('429 rate_limited');
    expect(outcome(await post(headers, `${first}/photo`))).toBe('201');
  });
});

describe('a host', () => {
  /** Two accounts reach the limit of the host, with two of its ports. */
  async function exhaust() {
    const [a, b] = [await api.client(), await api.client()];
    expect(await waste(a.headers, first)).toBe(7);
    expect(await waste(b.headers, second, 6)).toBe(6);
    return b;
  }

  test('has a limit over all accounts and ports, for accounts that have fetched unpaid', async () => {
    const b = await exhaust();
    const refused = await post(b.headers, `${first}/photo`);
    expect(messageOf(refused)).toMatch(
      /^Requests that were not charged have fetched 16 MB in a minute from the host of this image_url\./,
    );
    expect(outcome(await post(b.headers, `${alias}/photo`))).toBe('201');
  });

  test('serves accounts that have not, except for dry runs', async () => {
    await exhaust();
    const c = await api.client();
    expect(messageOf(await dryRun(c.headers, `${first}/photo`))).toContain('the host of this image_url');
    expect(outcome(await post(c.headers, `${first}/photo`))).toBe('201');
    expect(await waste(c.headers, first)).toBe(1);
  });

  test('is not reached by redirects either', async () => {
    await exhaust();
    const c = await api.client();
    served = [];
    const redirect = `${alias}/to/${encodeURIComponent(`${first}/photo`)}`;
    expect(messageOf(await dryRun(c.headers, redirect))).toContain('the host of this image_url');
    expect(served).toEqual([{ path: 'to', bytes: 0 }]);
  });

  test.each([
    ['https://photos.example.com/', 'https://PHOTOS.example.com.:8443/a?b'],
    ['https://b\u00fccher.example/', 'https://XN--bcher-kva.example/'],
    ['https://8.8.8.8/', 'https://0x08.8.2056:8443/'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700:0:0::1111]:8443/'],
  ])('is the same by every spelling: %s, %s', (url, other) => {
    const unpaid = createUnpaidFetches(MB);
    const dryRunOf = (account: string, target: string) =>
      unpaid.begin(account, true).request(new URL(target));
    for (let n = 0; n < 8; n += 1) dryRunOf(`account ${n}`, url);
    expect(() => dryRunOf('another', other)).toThrow('the host of this image_url');
    expect(() => dryRunOf('another', 'https://example.org/')).not.toThrow();
  });

  test('counts requests that redirect from it, however small', async () => {
    const redirect = (left: number): string =>
      `${first}/to/${encodeURIComponent(left === 0 ? '/photo' : redirect(left - 1))}`;
    // A redirect too many: four requests for the host, which gets 16 MB of them from 16 accounts.
    const urls = Array.from({ length: 16 }, () => redirect(4));
    for (const url of urls)
      expect(outcome(await post((await api.client()).headers, url))).toBe('400 image_fetch_failed');
    expect(served).toHaveLength(64);
    const { headers } = await api.client();
    expect(messageOf(await dryRun(headers, `${second}/photo`))).toContain('the host of this image_url');
  });
});
