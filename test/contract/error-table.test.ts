import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERROR_GUIDE } from '../../api/docs/error-guide.ts';
import { createRateLimits } from '../../api/plugins/rate-limit.ts';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { LIMITS, RATE_LIMITS } from '../../contract/limits.ts';
import { samplePicture } from '../setup/client.ts';
import { type Service, startService } from '../setup/service.ts';
import { type Answer, error, expectError, outcome } from './answers.ts';
import { draftFor } from './drafts.ts';
import { storingGateway } from './gateway.ts';

let service: Service;
let image_base64: string;
let enabled = true;
let accepting = true;

beforeAll(async () => {
  image_base64 = await samplePicture();
  service = await startService({
    api: {
      rateLimits: createRateLimits({ prefix: '/api/v1' }),
      apiSwitch: { enabled: () => enabled, [Symbol.asyncDispose]: async () => {} },
      jobs: {
        ...storingGateway({ accept: (draft) => service.stores.jobs.accept(draft) }),
        accept: async ({ draft }) =>
          accepting ? service.stores.jobs.accept(draft) : { outcome: 'unknown', cause: 'away' },
      },
    },
  });
});
afterAll(async () => service?.[Symbol.asyncDispose]());

type Client = Awaited<ReturnType<Service['client']>>;
type More = { headers?: Record<string, string>; payload?: string | Buffer | object };

const post = ({ headers }: Pick<Client, 'headers'>, payload: object, more: More = {}): Promise<Answer> =>
  service.app.inject({
    method: 'POST',
    url: '/api/v1/jobs',
    payload: more.payload ?? payload,
    headers: { ...headers, 'content-type': 'application/json', ...more.headers },
  });
const call = (method: 'GET' | 'DELETE' | 'PUT', path: string, headers = {}): Promise<Answer> =>
  service.app.inject({ method, url: `/api${path}`, headers });

const job = (more: object = {}) => ({ tool: 'declutter', image_base64, ...more });
const key = (idempotencyKey: string) => ({ headers: { 'idempotency-key': idempotencyKey } });

/** A request for every code that is answered over HTTP. */
const PROVOKED: Record<Exclude<ErrorCode, 'generation_failed'>, (client: Client) => Promise<Answer>> = {
  invalid_api_key: () => call('GET', '/v1/account'),
  key_revoked: async (client) => {
    await service.stores.keys.revoke(client.keyId);
    return call('GET', '/v1/account', client.headers);
  },
  api_disabled: async ({ headers }) => {
    enabled = false;
    return call('GET', '/v1/account', headers).finally(() => {
      enabled = true;
    });
  },
  invalid_request: (client) => post(client, job(), key('k'.repeat(LIMITS.idempotencyKeyLength + 1))),
  invalid_tool: (client) => post(client, job({ tool: 'Virtual Staging' })),
  invalid_image: (client) => post(client, { tool: 'declutter' }),
  image_fetch_failed: (client) => post(client, { tool: 'declutter', image_url: 'https://127.0.0.1/a.jpg' }),
  insufficient_credits: async (client) => {
    await service.stores.jobs.accept(draftFor(client, { imagesCharged: 49 }));
    return post(client, job({ options: { resolution: '4K' } }));
  },
  rate_limited: async (client) => {
    const requests = Array.from({ length: RATE_LIMITS['read-account'] }, () =>
      call('GET', '/v1/tools', client.headers),
    );
    expect(new Set((await Promise.all(requests)).map(outcome))).toEqual(new Set(['200']));
    return call('GET', '/v1/tools', client.headers);
  },
  idempotency_conflict: async (client) => {
    await post(client, job(), key('one'));
    return post(client, job({ tool: 'pool' }), key('one'));
  },
  job_not_found: ({ headers }) => call('GET', `/v1/jobs/${crypto.randomUUID()}`, headers),
  job_in_progress: async (client) => {
    const { job_id } = JSON.parse((await post(client, job())).body);
    return call('DELETE', `/v1/jobs/${job_id}`, client.headers);
  },
  webhook_url_rejected: (client) => post(client, job({ webhook_url: 'http://example.com/hook' })),
  payload_too_large: (client) => post(client, {}, { payload: Buffer.alloc(LIMITS.bodyBytes + 1, ' ') }),
  internal_error: async (client) => {
    accepting = false;
    return post(client, job(), key('again')).finally(() => {
      accepting = true;
    });
  },
  not_found: () => call('GET', '/v1/images'),
  method_not_allowed: () => call('PUT', '/v1/jobs'),
};

const shape = (message: string) => message.replace(/\d+/g, '#');

describe('every code of the error table', () => {
  test.each(Object.keys(PROVOKED) as (keyof typeof PROVOKED)[])('%s', async (code) => {
    const client = await service.client();
    const answer = await PROVOKED[code](client);
    expectError(answer, code, service.config.api.publicUrl);
    // What the errors page quotes is what the service says, but for the figures.
    const { message } = JSON.parse(answer.body).error;
    if (code !== 'internal_error') expect(shape(message)).toBe(shape(ERROR_GUIDE[code].example));
    expect(answer.headers['cache-control']).toBe('no-store');
    const counted = code !== 'api_disabled';
    expect('x-ratelimit-limit' in answer.headers).toBe(counted);
    expect('x-ratelimit-remaining' in answer.headers).toBe(counted);
    expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);
  });

  test('generation_failed is no answer of a request: the job reads failed and its charge is back', async () => {
    const client = await service.client();
    const { job_id } = JSON.parse((await post(client, job(), key('fails'))).body);
    await service.stores.jobs.fail(job_id, { error: 'The model refused the picture.', processingMs: 5 });
    const read = await call('GET', `/v1/jobs/${job_id}`, client.headers);
    expect(outcome(read)).toBe('200');
    const failed = { status: 'failed', error: 'The model refused the picture.', images_charged: 1 };
    expect(JSON.parse(read.body)).toMatchObject({ ...failed, result_urls: [] });
    expect(outcome(await post(client, job(), key('fails')))).toBe('201');
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50);
    expect(Object.keys(ERRORS).filter((code) => !(code in PROVOKED))).toEqual(['generation_failed']);
  });
});

describe('the figures of a refusal', () => {
  test('429 says in whole seconds when to come back', async () => {
    const { headers } = await PROVOKED.rate_limited(await service.client());
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '120', 'x-ratelimit-remaining': '0' });
    expect(Number(headers['retry-after'])).toSatisfy((s: number) => Number.isInteger(s) && s > 0 && s <= 60);
  });

  test('405 lists the methods of its path', async () => {
    const answer = await call('PUT', `/v1/jobs/${crypto.randomUUID()}`);
    expect([outcome(answer), answer.headers.allow]).toEqual([
      error('method_not_allowed'),
      'DELETE, GET, HEAD',
    ]);
    expect((await PROVOKED.method_not_allowed(await service.client())).headers.allow).toBe('POST');
  });

  test('a request that was answered 500 spends neither images nor its key', async () => {
    const client = await service.client();
    await PROVOKED.internal_error(client);
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50);
    expect(outcome(await post(client, job(), key('again')))).toBe('201');
  });
});

describe('X-RateLimit-Limit and X-RateLimit-Remaining', () => {
  const figures = ({ headers }: Answer) => [
    Number(headers['x-ratelimit-limit']),
    Number(headers['x-ratelimit-remaining']),
  ];

  test('tell the window of the route and key, on good answers and on bad ones', async () => {
    const client = await service.client();
    const path = `/v1/jobs/${crypto.randomUUID()}`;
    expect(figures(await post(client, job()))).toEqual([60, 59]);
    expect(figures(await post(client, {}))).toEqual([60, 58]);
    expect(figures(await call('GET', path, client.headers))).toEqual([300, 299]);
    expect(figures(await call('DELETE', path, client.headers))).toEqual([60, 59]);
    expect(figures(await call('GET', '/v1/tools', client.headers))).toEqual([120, 119]);
    expect(figures(await call('GET', '/v1/account', client.headers))).toEqual([120, 118]);
    expect(figures(await call('GET', path, (await service.client()).headers))).toEqual([300, 299]);
  });

  test.each([
    ['no key', () => call('GET', '/v1/tools')],
    ['an unknown route', () => call('GET', '/v1/images')],
    ['another method', () => call('PUT', '/v1/tools')],
    ['a body too large', async () => PROVOKED.payload_too_large(await service.client())],
  ])('tell the window of the address for %s', async (_what, send) => {
    expect(figures(await send())[0]).toBe(RATE_LIMITS.ip);
  });
});

test('an answer to a key is not to be cached, a page of the docs may be', async () => {
  const { headers } = await service.client();
  for (const path of ['/v1/account', '/v1/tools'])
    expect((await call('GET', path, headers)).headers['cache-control']).toBe('no-store');
  expect((await call('GET', '/docs/errors')).headers['cache-control']).toMatch(/^public, max-age=\d+$/);
});

describe('X-Request-Id', () => {
  test.each(['a', 'req_1.2-3', 'A'.repeat(128)])('%s comes back', async (id) => {
    for (const path of ['/v1/account', '/v1/nothing'])
      expect((await call('GET', path, { 'x-request-id': id })).headers['x-request-id']).toBe(id);
  });

  test.each(['', ' ', 'a b', 'a,b', 'é', '<script>', 'A'.repeat(129)])('%j is replaced', async (id) => {
    const { headers } = await call('GET', '/v1/account', { 'x-request-id': id });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});
