import { pino } from 'pino';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Account, Job, JobCreated } from '../../lib/contract/schemas.ts';
import { digestApiKey, issueApiKey } from '../../lib/domain/api-key.ts';
import { postJob } from '../setup/client.ts';
import { sampleImage } from '../setup/images.ts';
import { keptLog } from '../setup/kept-log.ts';
import { draftOf } from '../setup/records.ts';
import { type Service, startService } from '../setup/service.ts';
import { storingGateway } from './gateway.ts';
import { error, expectError, outcome } from './responses.ts';

const log = keptLog();
let service: Service;
let image_base64: string;
let client: Awaited<ReturnType<Service['client']>>;

beforeAll(async () => {
  image_base64 = await sampleImage();
  service = await startService({
    api: {
      jobGateway: storingGateway({ accept: (draft) => service.stores.jobs.accept(draft) }),
      logger: pino({ level: 'trace' }, log),
    },
  });
});
beforeEach(async () => {
  client = await service.client();
});
afterAll(async () => service?.[Symbol.asyncDispose]());

const call = (path: string, headers: Record<string, string>, method: 'GET' | 'DELETE' = 'GET') =>
  service.app.inject({ method, url: `/api/v1${path}`, headers });
const account = (apiKey: string) => call('/account', { 'x-api-key': apiKey });

async function secondKey(more: { retentionDays?: number; name?: string } = {}) {
  const apiKey = issueApiKey(service.config.keyPrefix);
  const { key } = await service.stores.keys.create({
    accountId: client.accountId,
    digest: digestApiKey(apiKey),
    hint: 'hint',
    name: more.name ?? 'Second',
    retentionDays: more.retentionDays ?? null,
  });
  return { apiKey, keyId: key.id };
}

describe('a job belongs to its account', () => {
  test('another account gets the same response as for an unknown id', async () => {
    const other = await service.client();
    const { job_id } = (await postJob(service.app, client.headers, { tool: 'pool', image_base64 })).json();
    const unknown = crypto.randomUUID();
    for (const method of ['GET', 'DELETE'] as const) {
      const forForeign = await call(`/jobs/${job_id}`, other.headers, method);
      const forUnknown = await call(`/jobs/${unknown}`, other.headers, method);
      expectError(forForeign, 'job_not_found', service.config.api.publicUrl);
      expect([forForeign.body, Object.keys(forForeign.headers)]).toEqual([
        forUnknown.body,
        Object.keys(forUnknown.headers),
      ]);
    }
    await service.stores.jobs.complete(job_id, { results: [], processingMs: 1 });
    expect(outcome(await call(`/jobs/${job_id}`, other.headers, 'DELETE'))).toBe(error('job_not_found'));
    expect(outcome(await call(`/jobs/${job_id}`, client.headers))).toBe('200');
  });

  test('every key of the account can read and delete it', async () => {
    const { apiKey } = await secondKey();
    const { job_id } = (await postJob(service.app, client.headers, { tool: 'pool', image_base64 })).json();
    expect(outcome(await call(`/jobs/${job_id}`, { 'x-api-key': apiKey }))).toBe('200');
    await service.stores.jobs.complete(job_id, { results: [], processingMs: 1 });
    expect(outcome(await call(`/jobs/${job_id}`, { 'x-api-key': apiKey }, 'DELETE'))).toBe('204');
  });

  test('the same Idempotency-Key of two accounts creates two jobs', async () => {
    const other = await service.client();
    const ids = await Promise.all(
      [client, other].map(
        async ({ headers }) =>
          (await postJob(service.app, headers, { tool: 'pool', image_base64 }, 'same')).json().job_id,
      ),
    );
    expect(new Set(ids).size).toBe(2);
  });
});

describe('shapes', () => {
  test('a creation result and a job have exactly the members of their schemas', async () => {
    const created = (await postJob(service.app, client.headers, { tool: 'pool', image_base64 })).json();
    expect(Value.Check(JobCreated, created)).toBe(true);
    expect(Object.keys(created)).toEqual(['job_id', 'status', 'images_charged', 'warnings']);
    const job = (await call(`/jobs/${created.job_id}`, client.headers)).json();
    expect(Value.Check(Job, job)).toBe(true);
    expect(Object.keys(job).toSorted()).toEqual(Object.keys(Job.properties).toSorted());
    const pending = { status: 'processing', result_urls: [], error: null, completed_at: null };
    expect(job).toMatchObject({ ...pending, processing_ms: null, images_charged: 1 });
  });

  test('the account has the name and retention of the calling key, and the shared balance', async () => {
    const { apiKey } = await secondKey({ name: 'Nightly', retentionDays: 30 });
    await service.stores.jobs.accept(draftOf(client, { imagesCharged: 8 }));
    const [first, second] = [await account(client.apiKey), await account(apiKey)];
    expect(Value.Check(Account, first.json())).toBe(true);
    const common = { status: 'active', image_credits: 42 };
    expect(first.json()).toEqual({ name: 'Client key', ...common, retention_days: null });
    expect(second.json()).toEqual({ name: 'Nightly', ...common, retention_days: 30 });
  });
});

describe('keys', () => {
  test('a revoked key is rejected immediately, and other keys still work', async () => {
    const { apiKey, keyId } = await secondKey();
    expect(outcome(await account(apiKey))).toBe('200');
    await service.stores.keys.revoke(keyId);
    expect(outcome(await account(apiKey))).toBe(error('key_revoked'));
    expect(outcome(await account(client.apiKey))).toBe('200');
  });

  test('the keys of a disabled account are rejected until it is enabled; a revoked key stays revoked', async () => {
    const { apiKey, keyId } = await secondKey();
    await service.stores.keys.revoke(keyId);
    await service.stores.accounts.setStatus(client.accountId, 'disabled');
    expect(outcome(await account(client.apiKey))).toBe(error('key_revoked'));
    await service.stores.accounts.setStatus(client.accountId, 'active');
    expect(outcome(await account(client.apiKey))).toBe('200');
    expect(outcome(await account(apiKey))).toBe(error('key_revoked'));
  });

  test('a key issued while the account is disabled is rejected', async () => {
    await service.stores.accounts.setStatus(client.accountId, 'disabled');
    expect(outcome(await account((await secondKey()).apiKey))).toBe(error('key_revoked'));
  });

  test.each<[string, (key: string) => string]>([
    ['nothing', () => ''],
    ['the prefix alone', (key) => key.slice(0, 4)],
    ['a truncated key', (key) => key.slice(0, -1)],
    ['a key with an extra character', (key) => `${key}0`],
    [
      'two characters swapped',
      (key) => key.slice(0, 10) + [...key.slice(10, 12)].reverse().join('') + key.slice(12),
    ],
    ['another case', (key) => key.toUpperCase()],
    ['another prefix', (key) => key.replace('ija_', 'sk_l')],
    ['a scheme before it', (key) => `Bearer ${key}`],
    ['the key twice', (key) => `${key}, ${key}`],
    ['a key that was never issued', () => issueApiKey('ija_')],
    ['the digest of a key', (key) => digestApiKey(key)],
    ['10 KB', () => 'x'.repeat(10_000)],
  ])('%s is not a valid key', async (_name, mangle) => {
    const mangled = mangle(client.apiKey);
    if (mangled !== client.apiKey) expect(outcome(await account(mangled))).toBe(error('invalid_api_key'));
  });

  test('only the X-Api-Key header is read', async () => {
    for (const headers of [
      { authorization: `Bearer ${client.apiKey}` },
      { cookie: `x-api-key=${client.apiKey}` },
    ])
      expect(outcome(await call('/account', headers))).toBe(error('invalid_api_key'));
    expect(outcome(await call(`/account?x-api-key=${client.apiKey}`, {}))).toBe(error('invalid_api_key'));
  });
});

test('the log contains the X-Request-Id, but neither key nor image', async () => {
  log.text = '';
  const headers = { ...client.headers, 'x-request-id': 'trace-me.1' };
  await postJob(service.app, headers, { tool: 'none', image_base64 });
  await postJob(service.app, headers, { tool: 'pool', image_base64 });
  await service.app.inject({ url: `/api/v1/tools?key=${client.apiKey}`, headers });
  const lines = log.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ msg }) => msg === 'request completed')).toMatchObject([
    { status: 400 },
    { status: 201 },
    { status: 200, path: '/api/v1/tools' },
  ]);
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.every(({ reqId }) => reqId === 'trace-me.1')).toBe(true);
  expect(log.text).toContain('invalid_tool');
  expect(log.text).not.toContain(client.apiKey);
  expect(log.text).not.toContain(image_base64.slice(0, 40));
});
