import { Value } from 'typebox/value';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { JobReplayed } from '../../lib/contract/schemas.ts';
import { digestApiKey, issueApiKey } from '../../lib/domain/api-key.ts';
import { GeneratorError } from '../../lib/generators/errors.ts';
import { ended, postJob } from '../setup/client.ts';
import { blockedRender, scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { draftOf } from '../setup/records.ts';
import { type Service, startService } from '../setup/service.ts';
import { error, outcome } from './responses.ts';

let service: Service;
let worker: AsyncDisposable;
let image: string;
let client: Awaited<ReturnType<Service['client']>>;
const held = blockedRender();

beforeAll(async () => {
  service = await startService();
  const refuse = async () => {
    throw new GeneratorError({ kind: 'refused', reason: 'safety' }, 'The model refused the image.');
  };
  const generators = scriptedGenerators({ pool: held.render, 'pool-removal': refuse });
  [worker, image] = await Promise.all([service.startWorker({ generators }), sampleImage()]);
});
beforeEach(async () => {
  client = await service.client();
});
afterAll(async () => {
  held.release();
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

const KEY = 'record-1';
const job = (more: object = {}) => ({ tool: 'declutter', image_base64: image, ...more });
const post = (body: object | string, key = KEY, headers: Record<string, string> = client.headers) =>
  typeof body === 'string'
    ? service.app.inject({
        method: 'POST',
        url: '/api/v1/jobs',
        payload: body,
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
      })
    : postJob(service.app, headers, body, key);
const done = (jobId: string) => ended(service.app, client.headers, jobId);
const balance = async () => (await service.stores.accounts.get(client.accountId)).balance;

/** Checks that a response is a valid replay of the job, and returns its body. */
function replayed(response: Awaited<ReturnType<typeof post>>, jobId: string) {
  expect(outcome(response)).toBe('201');
  expect(Value.Check(JobReplayed, response.json())).toBe(true);
  expect(response.json().job_id).toBe(jobId);
  return response.json();
}

describe('a replay returns the current job', () => {
  test('while it is processing', async () => {
    const body = job({ tool: 'pool', options: { resolution: 'huge' } });
    const first = (await post(body)).json();
    const again = replayed(await post(body), first.job_id);
    expect(again).toMatchObject({ status: 'processing', result_urls: [], completed_at: null });
    expect(again.warnings).toEqual(first.warnings);
    expect(first.warnings).toHaveLength(1);
    expect(await balance()).toBe(49);
  });

  test('after it has completed', async () => {
    const { job_id } = (await post(job())).json();
    const end = await done(job_id);
    expect(replayed(await post(job()), job_id)).toEqual({ ...end, warnings: [] });
    expect(end.result_urls).toHaveLength(1);
    expect(await balance()).toBe(49);
  });

  test('after it has failed, without rendering it again', async () => {
    const body = job({ tool: 'pool-removal' });
    const { job_id } = (await post(body)).json();
    await done(job_id);
    const again = replayed(await post(body), job_id);
    expect(again).toMatchObject({ status: 'failed', images_charged: 1, result_urls: [] });
    expect(again.error).toContain('refused');
    expect(await balance()).toBe(50);
  });

  test('or 404 after it was deleted; the key stays used', async () => {
    const { job_id } = (await post(job())).json();
    await done(job_id);
    await service.app.inject({
      method: 'DELETE',
      url: `/api/v1/jobs/${job_id}`,
      headers: client.headers,
    });
    expect(outcome(await post(job()))).toBe(error('job_not_found'));
    expect(outcome(await post(job({ tool: 'pool' })))).toBe(error('idempotency_conflict'));
    expect(outcome(await post(job(), 'another'))).toBe('201');
    expect(await balance()).toBe(48);
  });
});

describe('a body is the same', () => {
  const spelled = (text: string) => text.replace('"tool"', '"\\u0074ool"').replaceAll('/', '\\/');

  test.each<[string, () => object | string]>([
    ['with its keys in another order', () => ({ options: { b: 1, a: [2] }, ...body(), tool: 'declutter' })],
    ['with whitespace', () => JSON.stringify(body(), null, '\t')],
    ['spelled with escapes', () => spelled(JSON.stringify(body()))],
    ['with numbers written differently', () => JSON.stringify(body()).replace('"b":1', '"b":1.0e0')],
  ])('%s', async (_how, same) => {
    const { job_id } = (await post(body())).json();
    replayed(await post(same()), job_id);
  });

  const body = () => job({ options: { a: [2], b: 1 } });
});

describe('a body is different with', () => {
  const prefixed = (type: string) => job({ image_base64: `data:image/${type};base64,${image}` });

  test.each<[string, () => object]>([
    ['another tool', () => job({ tool: 'pool' })],
    ['other options', () => job({ options: { resolution: '4K' } })],
    ['empty options', () => job({ options: {} })],
    ['a webhook', () => job({ webhook_url: 'https://example.com/' })],
    ['a field that is ignored', () => job({ note: 'x' })],
    ['the same image as another type', () => prefixed('png')],
    ['the same image with a data URI', () => prefixed('jpeg')],
    ['an image with an extra byte', () => job({ image_base64: extended(image) })],
    ['malformed base64', () => job({ image_base64: '!' })],
    ['the image by URL', () => ({ tool: 'declutter', image_url: 'https://example.com/a.jpg' })],
  ])('%s', async (_what, other) => {
    await post(job());
    expect(outcome(await post(other()))).toBe(error('idempotency_conflict'));
    expect(await balance()).toBe(49);
  });

  const extended = (base64: string) =>
    Buffer.concat([Buffer.from(base64, 'base64'), Buffer.from([0])]).toString('base64');
});

test('image/jpg and image/jpeg are the same type', async () => {
  const typed = (type: string) => job({ image_base64: `data:image/${type};base64,${image}` });
  const { job_id } = (await post(typed('jpg'))).json();
  replayed(await post(typed('JPEG')), job_id);
});

describe('the key', () => {
  test('may have 128 characters, all that a header may contain', async () => {
    for (const key of ['k'.repeat(128), '$where', 'a.b', '{"$gt":""}', '__proto__', 'é', '../..', 'a b'])
      expect(outcome(await post(job(), key))).toBe('201');
    expect(outcome(await post(job(), 'k'.repeat(129)))).toBe(error('invalid_request'));
    expect(outcome(await post(job(), ''))).toBe(error('invalid_request'));
    expect(await balance()).toBe(42);
  });

  test('is case-sensitive and compared as a whole', async () => {
    const ids = await Promise.all(
      ['a', 'A', 'aa'].map(async (key) => (await post(job(), key)).json().job_id),
    );
    expect(new Set(ids).size).toBe(3);
  });

  test('is scoped to an API key, even within one account', async () => {
    const { accountId } = client;
    const apiKey = issueApiKey(service.config.keyPrefix);
    const stored = { accountId, name: 'Second', hint: 'x', retentionDays: null };
    await service.stores.keys.create({ ...stored, digest: digestApiKey(apiKey) });
    const first = (await post(job())).json();
    const second = (await post(job(), KEY, { 'x-api-key': apiKey })).json();
    expect(second.job_id).not.toBe(first.job_id);
    replayed(await post(job(), KEY, { 'x-api-key': apiKey }), second.job_id);
    expect(await balance()).toBe(48);
  });

  test('is optional: without it, two requests create two jobs', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await postJob(service.app, client.headers, job())).json().job_id),
    );
    expect(new Set(ids).size).toBe(2);
  });

  test.each<[string, object, string]>([
    ['an unknown tool', { tool: 'none' }, 'invalid_tool'],
    ['a wrong option', { options: { tier: 'x' } }, 'invalid_request'],
    ['an invalid image', { image_base64: 'AAAA' }, 'invalid_image'],
  ])('is not used up by a request with %s', async (_why, wrong, code) => {
    expect(outcome(await post(job(wrong)))).toBe(`400 ${code}`);
    expect(outcome(await post(job()))).toBe('201');
  });
});

describe('concurrent requests with one key', () => {
  test('and 12 different bodies create one job and 11 conflicts', async () => {
    const bodies = Array.from({ length: 12 }, (_, n) => job({ options: { note: n } }));
    const responses = await Promise.all(bodies.map((body) => post(body)));
    expect(responses.map(outcome).toSorted()).toEqual([
      '201',
      ...Array.from({ length: 11 }, () => error('idempotency_conflict')),
    ]);
    expect(await balance()).toBe(49);
    const stored = (await service.images.list('inputs')).found;
    expect(stored.filter(({ key }) => key.startsWith(client.accountId))).toHaveLength(1);
  });

  test('do not use up the key when the balance does not cover them', async () => {
    await service.stores.jobs.accept(draftOf(client, { imagesCharged: 50 }));
    const responses = await Promise.all(Array.from({ length: 8 }, () => post(job())));
    expect(new Set(responses.map(outcome))).toEqual(new Set([error('insufficient_credits')]));
    await service.stores.packs.add({ accountId: client.accountId, images: 3, reference: null });
    const after = await Promise.all(Array.from({ length: 8 }, () => post(job())));
    expect(new Set(after.map((response) => response.json().job_id)).size).toBe(1);
    expect(await balance()).toBe(2);
    expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);
  });
});
