import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRateLimits } from '../../api/http/rate-limit.ts';
import { SCOPES, type Scope } from '../../lib/contract/scopes.ts';
import { digestApiKey } from '../../lib/domain/api-key.ts';
import { sampleImage } from '../setup/images.ts';
import { startFakeApi } from './fake-api.ts';
import { error, expectError, outcome } from './responses.ts';

let image_base64: string;
let api: Awaited<ReturnType<typeof startFakeApi>>;
/** Every operation of the OpenAPI document. */
let operations: { method: string; url: string; scope: Scope | undefined }[];

beforeAll(async () => {
  image_base64 = await sampleImage();
  api = await startFakeApi(Buffer.alloc(0));
  const { paths } = (await api.app.inject('/api/openapi.json')).json<{ paths: Record<string, object> }>();
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      url: `/api${path.replace(/\{\w+\}/g, crypto.randomUUID())}`,
      scope: scopeOf(path),
    })),
  );
});
afterAll(() => api?.[Symbol.asyncDispose]());

/** As the documentation says it. */
function scopeOf(path: string): Scope | undefined {
  if (path.startsWith('/v1/tools')) return undefined;
  if (path.startsWith('/v1/webhook-')) return 'webhooks';
  return path.startsWith('/v1/jobs') ? 'jobs' : 'account';
}

async function keyWith(...scopes: Scope[]) {
  const client = await api.client();
  const caller = await api.stores.keys.findCaller(digestApiKey(client.headers['x-api-key']));
  await api.stores.keys.setScopes(caller?.keyId ?? '', scopes);
  return { ...client, keyId: caller?.keyId ?? '' };
}
const call = (method: string, url: string, headers: Record<string, string>) =>
  api.app.inject({ method: method as 'GET', url, headers });

describe('a key that is limited to a scope', () => {
  let headers: Record<string, string>;
  beforeEach(async () => {
    ({ headers } = await keyWith());
  });

  test.each(SCOPES)('%s can be used for its routes and the list of tools alone', async (scope) => {
    ({ headers } = await keyWith(scope));
    for (const { method, url, scope: needed } of operations) {
      const response = await call(method, url, headers);
      const refused = response.statusCode === 403;
      expect([method, url, refused]).toEqual([method, url, needed !== undefined && needed !== scope]);
      if (!refused) continue;
      expectError(response, 'insufficient_scope', api.config.api.publicUrl);
      expect(response.json().error.message).toContain(`the scope ${needed}.`);
    }
  });

  test('has none, so every operation but those of the tools refuses it', async () => {
    for (const { method, url, scope } of operations)
      expect([method, url, (await call(method, url, headers)).statusCode === 403]).toEqual([
        method,
        url,
        scope !== undefined,
      ]);
  });

  test('is refused for HEAD as for GET', async () => {
    expect((await call('HEAD', '/api/v1/account', headers)).statusCode).toBe(403);
  });
});

describe('the balance', () => {
  const create = (headers: Record<string, string>, query = '', resolution = '2K') =>
    api.app.inject({
      method: 'POST',
      url: `/api/v1/jobs${query}`,
      headers: { ...headers, 'idempotency-key': 'one' },
      payload: { tool: 'declutter', image_base64, options: { resolution } },
    });
  const dryRun = (headers: Record<string, string>, resolution?: string) =>
    create(headers, '?dry_run=true', resolution);

  test('is hidden from a key with the scope jobs alone, in every response and error', async () => {
    const { headers, accountId } = await keyWith('jobs');
    const account = api.stores.books.accounts.get(accountId);
    if (account === undefined) throw new Error('no account');
    account.balance = 987_654_321;
    const priced = await dryRun(headers);
    expect(priced.json()).toMatchObject({ images_charged: 1, balance_after: null });
    const created = await create(headers);
    const repeated = await dryRun(headers);
    expect(repeated.json()).toMatchObject({ images_charged: 0, balance_after: null });
    const conflict = await dryRun(headers, '4K');
    expect(outcome(conflict)).toBe(error('idempotency_conflict'));
    const { job_id } = created.json();
    const responses = [priced, created, repeated, conflict, await create(headers)];
    await api.stores.jobs.complete(job_id, { results: [], processingMs: 1 });
    for (const { method, url } of operations)
      responses.push(await call(method, url.replace(/[0-9a-f-]{36}/, job_id), headers));
    for (const { body, headers: sent } of responses)
      expect(body + JSON.stringify(sent)).not.toMatch(/98765432|"balance_after":\d/);
  });

  test('is in the dry run of a key that may read the account', async () => {
    for (const scopes of [['jobs', 'account'], null] as const) {
      const { headers, keyId } = await keyWith('jobs');
      await api.stores.keys.setScopes(keyId, scopes);
      expect((await dryRun(headers)).json().balance_after).toBe(10_000_049);
    }
  });
});

test('a limit applies from the next request on, and can be lifted', async () => {
  const { headers, keyId } = await keyWith('jobs', 'account');
  const account = async () => outcome(await call('GET', '/api/v1/account', headers));
  expect(await account()).toBe('200');
  await api.stores.keys.setScopes(keyId, ['jobs']);
  expect(await account()).toBe(error('insufficient_scope'));
  await api.stores.keys.setScopes(keyId, null);
  expect(await account()).toBe('200');
});

test('a key that does not exist or was revoked gets 401, whatever the route', async () => {
  const { headers, keyId } = await keyWith('jobs');
  await api.stores.keys.revoke(keyId);
  expect(outcome(await call('GET', '/api/v1/account', headers))).toBe(error('key_revoked'));
  expect(outcome(await call('GET', '/api/v1/account', {}))).toBe(error('invalid_api_key'));
});

test('refused requests count towards the rate limit of the key, which is checked first', async () => {
  const limited = await startFakeApi(Buffer.alloc(0), {
    rateLimits: createRateLimits({ prefix: '/api/v1' }),
  });
  const caller = await limited.stores.keys.findCaller(digestApiKey(limited.headers['x-api-key']));
  await limited.stores.keys.setScopes(caller?.keyId ?? '', ['jobs']);
  const read = () => limited.app.inject({ url: '/api/v1/account', headers: limited.headers });
  const first = await read();
  expect([outcome(first), first.headers['x-ratelimit-remaining']]).toEqual([
    error('insufficient_scope'),
    '119',
  ]);
  for (let n = 1; n < 120; n += 1) await read();
  expect(outcome(await read())).toBe(error('rate_limited'));
  await limited[Symbol.asyncDispose]();
});
