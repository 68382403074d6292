import { Value } from 'typebox/value';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApiLimits } from '../../api/admission/limits.ts';
import { DryRunResult } from '../../lib/contract/schemas.ts';
import { type Served, serveHttp } from '../lib/egress/servers.ts';
import { postJob } from '../setup/client.ts';
import { sampleImage } from '../setup/images.ts';
import { draftOf } from '../setup/records.ts';
import { type Service, startService } from '../setup/service.ts';
import { storingGateway } from './gateway.ts';
import { error, expectError, outcome } from './responses.ts';

const MB = 1024 * 1024;
let service: Service;
let images: Served;
let image_base64: string;
let client: Awaited<ReturnType<Service['client']>>;
let gateway: ReturnType<typeof storingGateway>;

beforeAll(async () => {
  image_base64 = await sampleImage();
  const jpeg = Buffer.from(image_base64, 'base64');
  images = await serveHttp(({ url }, response) => {
    if (url === '/a.jpg') response.writeHead(200, { 'content-type': 'image/jpeg' }).end(jpeg);
    else response.writeHead(404).end();
  });
  gateway = storingGateway({ accept: (draft) => service.stores.jobs.accept(draft) });
  service = await startService({
    env: { EGRESS_ALLOW_ORIGINS: images.origin },
    api: {
      jobGateway: gateway,
      // Dry runs have 512 KB of it, which two requests use up.
      limits: createApiLimits({ bytesInFlight: 256 * MB, unpaidBytesPerMinute: 4 * MB }),
    },
  });
});
beforeEach(async () => {
  client = await service.client();
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await images?.[Symbol.asyncDispose]();
});

const job = (more: object = {}) => ({ tool: 'declutter', image_base64, ...more });
const byUrl = (path = '/a.jpg') => ({ tool: 'declutter', image_url: `${images.origin}${path}` });
const post = (body: object, key?: string) => postJob(service.app, client.headers, body, key);
const sent = (query: string, body: object, key?: string) =>
  service.app.inject({
    method: 'POST',
    url: `/api/v1/jobs?${query}`,
    headers: { ...client.headers, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    payload: body,
  });
const dryRun = (body: object, key?: string) => sent('dry_run=true', body, key);
const balance = async () => (await service.stores.accounts.get(client.accountId)).balance;

/** Everything that a request may have left behind. */
async function traces() {
  const { found } = await service.images.list('inputs');
  const jobs = await service.stores.jobs.list(client.accountId, 10);
  return { found, jobs: jobs.map(({ id }) => id), balance: await balance(), asked: gateway.asked.length };
}

/** A dry run that must be valid and leave nothing behind. */
async function priced(body: object, key?: string) {
  const before = await traces();
  const response = await dryRun(body, key);
  expect(outcome(response)).toBe('200');
  expect(Value.Check(DryRunResult, response.json())).toBe(true);
  expect(await traces()).toEqual(before);
  return response.json<DryRunResult>();
}

describe('a dry run of a valid request', () => {
  test.each<[string, () => object]>([
    ['an image in the body', () => job()],
    ['an image by URL', () => byUrl()],
    ['4K', () => job({ options: { resolution: '4K' } })],
    ['a tool of two images', () => job({ tool: '4k-upscale' })],
    ['an option that is ignored', () => job({ options: { colour: 'red', resolution: '8K' } })],
    ['a webhook', () => job({ webhook_url: `${images.origin}/hook` })],
  ])(
    'with %s has the price, warnings and balance of the request, and leaves nothing',
    async (_what, body) => {
      const dry = await priced(body());
      const created = await post(body());
      const { images_charged, warnings } = created.json();
      const { tool } = { tool: 'declutter', ...body() };
      expect(dry).toEqual({ valid: true, tool, images_charged, warnings, balance_after: await balance() });
    },
  );

  test('may use up the balance, and no more', async () => {
    await service.stores.jobs.accept(draftOf(client, { imagesCharged: 49 }));
    expect(await priced(job())).toMatchObject({ images_charged: 1, balance_after: 0 });
    const response = await dryRun(job({ options: { resolution: '4K' } }));
    expectError(response, 'insufficient_credits', service.config.api.publicUrl);
  });
});

describe('a dry run of a request that would be rejected', () => {
  test.each<[string, () => object]>([
    ['no image', () => ({ tool: 'declutter' })],
    ['two images', () => ({ ...job(), ...byUrl() })],
    ['a field of the wrong type', () => job({ webhook_url: 5 })],
    ['an unknown tool', () => job({ tool: 'decluter' })],
    ['an unknown value', () => job({ tool: 'roof-replacement', options: { material: 'straw' } })],
    ['options that are a list', () => job({ options: [] })],
    ['a private webhook', () => job({ webhook_url: 'https://10.0.0.1/' })],
    ['base64 that is no image', () => job({ image_base64: 'AAAA' })],
    ['base64 that is malformed', () => job({ image_base64: '!' })],
    ['an image_url with status 404', () => byUrl('/none')],
    ['an image_url that is not public', () => ({ tool: 'declutter', image_url: 'https://localhost/a.jpg' })],
    ['two faults', () => job({ tool: 'none', webhook_url: 'https://10.0.0.1/' })],
  ])('for %s has the error of the request', async (_why, body) => {
    const before = await traces();
    const dry = await dryRun(body(), 'free');
    const { statusCode, body: text } = await post(body(), 'free');
    expect([dry.statusCode, dry.body]).toEqual([statusCode, text]);
    expect(statusCode).toBe(400);
    expect(await traces()).toEqual(before);
  });

  test('for its balance fetches nothing', async () => {
    await service.stores.jobs.accept(draftOf(client, { imagesCharged: 50 }));
    const connections = images.connections();
    expect(outcome(await dryRun(byUrl()))).toBe(error('insufficient_credits'));
    expect(images.connections()).toBe(connections);
  });
});

describe('the Idempotency-Key of a dry run', () => {
  test('is not used up', async () => {
    await priced(job(), 'key');
    await priced(job({ tool: 'pool' }), 'key');
    expect(outcome(await post(job(), 'key'))).toBe('201');
  });

  test('that has created a job would charge nothing for the same body', async () => {
    const body = job({ tool: 'pool', options: { resolution: '4K', colour: 'red' } });
    const created = (await post(body, 'key')).json();
    expect(await priced(body, 'key')).toEqual({
      valid: true,
      tool: 'pool',
      images_charged: 0,
      warnings: created.warnings,
      balance_after: 48,
    });
  });

  test('conflicts with another body, and reports a deleted job', async () => {
    const { job_id } = (await post(job(), 'key')).json();
    expect(outcome(await dryRun(job({ tool: 'pool' }), 'key'))).toBe(error('idempotency_conflict'));
    await service.stores.jobs.complete(job_id, { results: [], processingMs: 1 });
    await service.stores.jobs.remove([job_id]);
    const [dry, again] = [await dryRun(job(), 'key'), await post(job(), 'key')];
    expect([outcome(dry), dry.body]).toEqual([error('job_not_found'), again.body]);
  });

  test('of another API key is free', async () => {
    await post(job(), 'key');
    client = await service.client();
    expect((await priced(job({ tool: 'pool' }), 'key')).images_charged).toBe(1);
  });

  test('does not keep the job from being voided, after which the key is free', async () => {
    const { job_id } = (await post(job(), 'key')).json();
    await priced(job(), 'key');
    expect(await service.stores.jobs.void(job_id, job_id)).toBe(true);
    expect(await priced(job(), 'key')).toMatchObject({ images_charged: 1, balance_after: 49 });
  });

  test.each([
    ['empty', ''],
    ['too long', 'k'.repeat(129)],
  ])('is rejected when it is %s', async (_how, key) => {
    expect(outcome(await dryRun(job(), key))).toBe(error('invalid_request'));
  });
});

describe('the parameter dry_run', () => {
  test.each([
    'dry_run',
    'dry_run=',
    'dry_run=TRUE',
    'dry_run=1',
    'dry_run=yes',
    'dry_run=true%00',
    'dry_run=%20true',
    'dry_run=true&dry_run=true',
    'dry_run=true&dry_run=false',
    `dry_run=${'t'.repeat(500)}`,
  ])('rejects %s', async (query) => {
    const before = await traces();
    const response = await sent(query, job());
    expectError(response, 'invalid_request', service.config.api.publicUrl);
    expect(response.json().error.message).toMatch(/^dry_run: must be (one of true, false|sent once)\.$/);
    expect(await traces()).toEqual(before);
  });

  test('creates a job when it is false, and other parameters are ignored', async () => {
    expect(outcome(await sent('dry_run=false', job()))).toBe('201');
    expect(outcome(await sent('dryest_run=true&x=1&x=2', job()))).toBe('201');
    expect(await balance()).toBe(48);
  });

  test.each(['dryRun', 'DRY_RUN', 'dry-run', 'dry_run[]'])(
    'spelt %s is refused, and nothing is charged',
    async (name) => {
      const before = await traces();
      const response = await sent(`${encodeURIComponent(name)}=true`, job());
      expectError(response, 'invalid_request', service.config.api.publicUrl);
      expect(response.json().error.message).toBe(`dry_run: must be written like this, not "${name}".`);
      expect(await traces()).toEqual(before);
    },
  );

  test('is read with escapes', async () => {
    expect(outcome(await sent('dry%5Frun=%74rue', job()))).toBe('200');
  });
});

test('images that are fetched for dry runs count as unpaid', async () => {
  await priced(byUrl());
  await priced(byUrl());
  const refused = await dryRun(byUrl());
  expectError(refused, 'rate_limited', service.config.api.publicUrl);
  expect(refused.json().error.message).toContain('dry runs');
  expect(outcome(await dryRun(job()))).toBe('200');
  expect(outcome(await post(byUrl()))).toBe('201');
});

test('an image that is fetched for a job that is charged does not', async () => {
  for (let n = 1; n <= 3; n += 1) expect(outcome(await post(byUrl()))).toBe('201');
  await priced(byUrl());
});
