import fastify, { type FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, test } from 'vitest';
import { clientOf, siteOf } from '../../api/http/client-address.ts';
import { registerErrors } from '../../api/http/error-handler.ts';
import { createRateLimits } from '../../api/http/rate-limit.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { RATE_LIMITS } from '../../lib/contract/limits.ts';
import type { Caller } from '../../lib/domain/records.ts';

let app: FastifyInstance;
let now: number;

beforeEach(() => {
  now = 5000;
  app = fastify({ trustProxy: true });
  const limits = createRateLimits({ prefix: '/api/v1', now: () => now });
  registerErrors(app, 'https://api.example.com/api');
  app.addHook('onRequest', limits.countClient);
  app.addHook('onRequest', async (request) => {
    const { 'x-api-key': keyId } = request.headers;
    if (request.routeOptions.config.group === undefined) return;
    if (typeof keyId !== 'string') throw new ApiError('invalid_api_key', 'no');
    request.caller = { keyId } as Caller;
  });
  app.addHook('onRequest', limits.countKey);
  app.get('/api/v1/jobs/:id', { config: { group: 'read-job' } }, async () => 'ok');
  app.post('/api/v1/jobs', { config: { group: 'create-job' } }, async () => {
    throw new ApiError('invalid_tool', 'no');
  });
  app.get('/api/docs', async () => 'ok');
  app.get('/healthz', { config: { probe: true } }, async () => 'ok');
});

const create = (key?: string, ip = '192.0.2.1') =>
  app.inject({
    method: 'POST',
    url: '/api/v1/jobs',
    headers: { 'x-forwarded-for': ip, ...(key === undefined ? {} : { 'x-api-key': key }) },
  });

describe('headers', () => {
  test("describe the key's window if the key is known, also on errors", async () => {
    const { statusCode, headers } = await create('k');
    expect(statusCode).toBe(400);
    expect(headers).toMatchObject({
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      'ratelimit-policy': '"create-job";q=60;w=60',
      ratelimit: '"create-job";r=59;t=60',
    });
    expect(headers).not.toHaveProperty('retry-after');
  });

  test("describe the client's window without a key, also for unknown routes", async () => {
    const refused = await create();
    expect(refused.statusCode).toBe(401);
    expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '599' });
    const unknown = await app.inject('/api/v1/nothing');
    expect(unknown.headers).toMatchObject({ 'ratelimit-policy': '"ip";q=600;w=60' });
    const escaped = await app.inject({ url: '/api/%761/jobs/1', headers: { 'x-api-key': 'k' } });
    expect(escaped.headers).toMatchObject({ 'x-ratelimit-limit': '300' });
  });

  test('are absent outside /v1, also from a rejection', async () => {
    const read = () => app.inject('/api/docs');
    for (let n = 0; n < RATE_LIMITS['ip-other']; n++)
      expect((await read()).headers).not.toHaveProperty('x-ratelimit-limit');
    const refused = await read();
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '60']);
    expect(refused.headers).not.toHaveProperty('x-ratelimit-limit');
  });
});

describe('limits', () => {
  test('a key has a window per route group, which allows a request when the oldest one expires', async () => {
    for (let n = 0; n < RATE_LIMITS['create-job']; n++) expect((await create('k')).statusCode).toBe(400);
    now += 1500;
    const refused = await create('k');
    expect(refused.statusCode).toBe(429);
    expect(refused.json().error.code).toBe('rate_limited');
    expect(refused.headers).toMatchObject({ 'retry-after': '59', 'x-ratelimit-remaining': '0' });
    expect((await create('other')).statusCode).toBe(400);
    const read = await app.inject({ url: '/api/v1/jobs/1', headers: { 'x-api-key': 'k' } });
    expect(read.headers).toMatchObject({ 'x-ratelimit-limit': '300', 'x-ratelimit-remaining': '299' });
    now += 58_500;
    expect((await create('k')).statusCode).toBe(400);
  });

  test('requests without a valid key count for their address only', async () => {
    for (let n = 0; n < RATE_LIMITS.ip; n++) await create();
    expect((await create()).statusCode).toBe(429);
    const known = await create('k');
    expect([known.statusCode, known.headers['x-ratelimit-limit']]).toEqual([429, '600']);
    expect((await create('k', '192.0.2.2')).headers['x-ratelimit-remaining']).toBe('59');
  });

  test('requests outside /v1 count apart, unknown routes included, and those of probes not at all', async () => {
    const status = async (url: string) => (await app.inject(url)).statusCode;
    for (let n = 0; n < RATE_LIMITS['ip-other']; n += 2)
      expect([await status('/api/docs'), await status('/nothing')]).toEqual([200, 404]);
    expect([await status('/api/docs'), await status('/nothing')]).toEqual([429, 429]);
    expect([await status('/healthz'), await status('/api/v1/nothing')]).toEqual([200, 404]);
  });

  test('a rejection by address closes the connection, one by key does not', async () => {
    for (let n = 0; n < RATE_LIMITS['create-job']; n++) await create('k');
    expect((await create('k')).headers.connection).toBe('keep-alive');
    for (let n = 0; n < RATE_LIMITS.ip; n++) await create();
    const refused = await create();
    expect([refused.statusCode, refused.headers.connection]).toEqual([429, 'close']);
  });

  test('an IPv6 client is a /64', async () => {
    await create(undefined, '2001:db8:1:2::1');
    const same = await create(undefined, '2001:db8:1:2:ffff::9');
    expect(same.headers['x-ratelimit-remaining']).toBe('598');
    const other = await create(undefined, '2001:db8:1:3::1');
    expect(other.headers['x-ratelimit-remaining']).toBe('599');
  });
});

test('the clients of one IPv6 /48 share a limit, ten times that of one client', async () => {
  const from = (site: number, n: number) => create(undefined, `2001:db8:${site}:${n.toString(16)}::1`);
  for (let n = 0; n < RATE_LIMITS.site; n++) await from(1, n);
  const refused = await from(1, RATE_LIMITS.site);
  expect(refused.statusCode).toBe(429);
  expect(refused.headers).toMatchObject({ 'ratelimit-policy': '"site";q=6000;w=60', 'retry-after': '60' });
  expect((await from(2, 0)).statusCode).toBe(401);
});

test.each([
  ['2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:0:0:0::/64', '2001:0:0::/48'],
  ['192.0.2.1', undefined],
  ['unknown', undefined],
])('the client %s belongs to the site %s', (client, site) => expect(siteOf(client)).toBe(site));

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:5060', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:0201', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['unknown', 'unknown'],
  ['x'.repeat(5000), 'x'.repeat(64)],
])('the address %s counts as %s', (address, client) => expect(clientOf(address)).toBe(client));
