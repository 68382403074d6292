import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERROR_GUIDE } from '../../api/docs/error-guide.ts';
import { createRateLimits } from '../../api/http/rate-limit.ts';
import { ERRORS, type ErrorCode } from '../../lib/contract/errors.ts';
import { LIMITS, RATE_LIMITS } from '../../lib/contract/limits.ts';
import { newDeliveryId, newTestDelivery } from '../../lib/domain/delivery.ts';
import { sampleImage } from '../setup/images.ts';
import { draftOf } from '../setup/records.ts';
import { type Service, startService } from '../setup/service.ts';
import { storingGateway } from './gateway.ts';
import { type ContractResponse, error, expectError, outcome } from './responses.ts';

let service: Service;
let image_base64: string;
let enabled = true;
let accepting = true;

beforeAll(async () => {
  image_base64 = await sampleImage();
  service = await startService({
    api: {
      rateLimits: createRateLimits({ prefix: '/api/v1' }),
      apiSwitch: { enabled: () => enabled, [Symbol.asyncDispose]: async () => {} },
      jobGateway: {
        ...storingGateway({ accept: (draft) => service.stores.jobs.accept(draft) }),
        accept: async ({ draft }) =>
          accepting ? service.stores.jobs.accept(draft) : { outcome: 'unknown', cause: 'unavailable' },
      },
    },
  });
});
afterAll(async () => service?.[Symbol.asyncDispose]());

type Client = Awaited<ReturnType<Service['client']>>;
type More = { headers?: Record<string, string>; payload?: string | Buffer | object };

const post = (
  { headers }: Pick<Client, 'headers'>,
  payload: object,
  more: More = {},
): Promise<ContractResponse> =>
  service.app.inject({
    method: 'POST',
    url: '/api/v1/jobs',
    payload: more.payload ?? payload,
    headers: { ...headers, 'content-type': 'application/json', ...more.headers },
  });
const call = (method: 'GET' | 'DELETE' | 'PUT', path: string, headers = {}): Promise<ContractResponse> =>
  service.app.inject({ method, url: `/api${path}`, headers });

const redeliver = (id: string, headers: Record<string, string>): Promise<ContractResponse> =>
  service.app.inject({ method: 'POST', url: `/api/v1/webhook-deliveries/${id}/redeliver`, headers });

const job = (more: object = {}) => ({ tool: 'declutter', image_base64, ...more });
const key = (idempotencyKey: string) => ({ headers: { 'idempotency-key': idempotencyKey } });

/** Provokes each code that a request can return. */
const PROVOKED: Record<
  Exclude<ErrorCode, 'generation_failed'>,
  (client: Client) => Promise<ContractResponse>
> = {
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
    await service.stores.jobs.accept(draftOf(client, { imagesCharged: 49 }));
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
  delivery_not_found: ({ headers }) => redeliver('msg_0', headers),
  delivery_pending: async ({ accountId, headers }) => {
    await service.stores.accounts.setWebhook(accountId, { url: 'https://example.com/hook' });
    const { id } = await service.stores.deliveries.plan(newTestDelivery(newDeliveryId(), accountId, null));
    return redeliver(id, headers);
  },
  insufficient_scope: async (client) => {
    await service.stores.keys.setScopes(client.keyId, ['webhooks']);
    return call('GET', '/v1/account', client.headers);
  },
  method_not_allowed: () => call('PUT', '/v1/jobs'),
};

const withoutFigures = (message: string) => message.replace(/\d+/g, '#');

describe('every code of the error table', () => {
  test.each(Object.keys(PROVOKED) as (keyof typeof PROVOKED)[])('%s', async (code) => {
    const client = await service.client();
    const response = await PROVOKED[code](client);
    expectError(response, code, service.config.api.publicUrl);
    // The example on the errors page is the message of the service, apart from figures.
    const { message } = JSON.parse(response.body).error;
    if (code !== 'internal_error')
      expect(withoutFigures(message)).toBe(withoutFigures(ERROR_GUIDE[code].example));
    expect(response.headers['cache-control']).toBe('no-store');
    const counted = code !== 'api_disabled';
    expect('x-ratelimit-limit' in response.headers).toBe(counted);
    expect('x-ratelimit-remaining' in response.headers).toBe(counted);
    expect(await service.stores.ledger.audit(client.accountId)).toEqual([]);
  });

  test('generation_failed is not returned by a request: the job is failed and refunded', async () => {
    const client = await service.client();
    const { job_id } = JSON.parse((await post(client, job(), key('fails'))).body);
    await service.stores.jobs.fail(job_id, {
      error: 'The model refused the image.',
      failureReason: 'no_result',
      processingMs: 5,
    });
    const read = await call('GET', `/v1/jobs/${job_id}`, client.headers);
    expect(outcome(read)).toBe('200');
    const failed = { status: 'failed', error: 'The model refused the image.', images_charged: 1 };
    expect(JSON.parse(read.body)).toMatchObject({ ...failed, result_urls: [] });
    expect(outcome(await post(client, job(), key('fails')))).toBe('201');
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50);
    expect(Object.keys(ERRORS).filter((code) => !(code in PROVOKED))).toEqual(['generation_failed']);
  });
});

describe('error responses', () => {
  test('429 has whole seconds in Retry-After', async () => {
    const { headers } = await PROVOKED.rate_limited(await service.client());
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '120', 'x-ratelimit-remaining': '0' });
    expect(Number(headers['retry-after'])).toSatisfy((s: number) => Number.isInteger(s) && s > 0 && s <= 60);
  });

  test('405 lists the methods of its path in Allow', async () => {
    const response = await call('PUT', `/v1/jobs/${crypto.randomUUID()}`);
    expect([outcome(response), response.headers.allow]).toEqual([
      error('method_not_allowed'),
      'DELETE, GET, HEAD',
    ]);
    expect((await PROVOKED.method_not_allowed(await service.client())).headers.allow).toBe('GET, HEAD, POST');
  });

  test('500 charges nothing and leaves the Idempotency-Key unused', async () => {
    const client = await service.client();
    await PROVOKED.internal_error(client);
    expect((await service.stores.accounts.get(client.accountId)).balance).toBe(50);
    expect(outcome(await post(client, job(), key('again')))).toBe('201');
  });
});

describe('X-RateLimit-Limit and X-RateLimit-Remaining', () => {
  const figures = ({ headers }: ContractResponse) => [
    Number(headers['x-ratelimit-limit']),
    Number(headers['x-ratelimit-remaining']),
  ];

  test('describe the window of the route and key, on success and on error', async () => {
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
  ])('describe the window of the address for %s', async (_what, send) => {
    expect(figures(await send())[0]).toBe(RATE_LIMITS.ip);
  });
});

test('API responses are not cacheable, pages of the docs are', async () => {
  const { headers } = await service.client();
  for (const path of ['/v1/account', '/v1/tools'])
    expect((await call('GET', path, headers)).headers['cache-control']).toBe('no-store');
  expect((await call('GET', '/docs/errors')).headers['cache-control']).toMatch(/^public, max-age=\d+$/);
});

describe('X-Request-Id', () => {
  test.each(['a', 'req_1.2-3', 'A'.repeat(128)])('%s is returned', async (id) => {
    for (const path of ['/v1/account', '/v1/nothing'])
      expect((await call('GET', path, { 'x-request-id': id })).headers['x-request-id']).toBe(id);
  });

  test.each(['', ' ', 'a b', 'a,b', 'é', '<script>', 'A'.repeat(129)])('%j is replaced', async (id) => {
    const { headers } = await call('GET', '/v1/account', { 'x-request-id': id });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});
