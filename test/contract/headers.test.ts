import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isJson } from '../../api/http/media-type.ts';
import { sampleImage } from '../setup/images.ts';
import { startFakeApi } from './fake-api.ts';
import { expectError } from './responses.ts';
import { exchange, listen } from './wire.ts';

let api: Awaited<ReturnType<typeof startFakeApi>>;
let port: number;
let body: string;

beforeAll(async () => {
  const image = await sampleImage(8, 8);
  api = await startFakeApi(Buffer.from(image, 'base64'));
  port = await listen(api.app);
  body = JSON.stringify({ tool: 'declutter', image_base64: image });
});
afterAll(() => api.app.close());

describe('a Content-Type', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json;',
    'application/json; charset=utf-8',
    'application/json ; charset = "UTF-8" ;',
    `application/json;${' '.repeat(200)}charset=utf-8`,
  ])('%s is JSON', (value) => expect(isJson(value)).toBe(true));

  test.each([
    '',
    'json',
    'application/jsonp',
    'application/json; charset=latin1',
    'application/json; charset=utf-8; charset=utf-8',
    'application/json; charset=utf-8=',
    'application/json; charset="utf-8',
    'application/json; q=1',
    `application/json;charset=utf-8${' '.repeat(15_000)}x`,
    `application/json${' '.repeat(300)}`,
    `application/json${';'.repeat(200)}`,
  ])('%s is not', (value) => expect(isJson(value)).toBe(false));
});

describe('a header over its maximum length', () => {
  test.each([
    ['Content-Type', `application/json;charset=utf-8${' '.repeat(10_000)}x`],
    ['Content-Type', `application/json;${';a="b'.repeat(2000)}`],
    ['Host', 'a.'.repeat(5000)],
    ['Content-Encoding', 'gzip,'.repeat(2000)],
    ['Expect', '1'.repeat(10_000)],
    ['X-Forwarded-For', '1,'.repeat(5000)],
    ['X-Forwarded-Proto', ','.repeat(10_000)],
    ['Idempotency-Key', ' x'.repeat(5000)],
  ])('%s is invalid_request', async (name, value) => {
    const others = [`Host: x`, 'Content-Type: application/json'].filter((line) => !line.startsWith(name));
    const key = `X-Api-Key: ${api.headers['x-api-key']}`;
    const length = `Content-Length: ${body.length}`;
    const head = [
      'POST /api/v1/jobs HTTP/1.1',
      ...others,
      key,
      length,
      'Connection: close',
      `${name}: ${value}`,
    ];
    expectError(await exchange(port, ...head, '', body), 'invalid_request', api.config.api.publicUrl);
  });

  test('X-Api-Key is invalid_api_key, X-Request-Id is replaced', async () => {
    const head = ['GET /api/v1/tools HTTP/1.1', 'Host: x', 'Connection: close'];
    const response = await exchange(port, ...head, `X-Api-Key: ${'k'.repeat(10_000)}`, '');
    expectError(response, 'invalid_api_key', api.config.api.publicUrl);
    const traced = await exchange(port, ...head, `X-Request-Id: ${'r'.repeat(10_000)}`, '');
    expect(traced.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test('every response has the security headers', async () => {
  const paths = [
    '/api/v1/tools',
    '/api/v1/jobs',
    '/nothing',
    '/api/openapi.json',
    '/api/docs',
    '/api/docs/assets/style.css',
  ];
  for (const url of paths) {
    const { headers } = await api.app.inject({ url, headers: api.headers });
    expect([url, headers['x-content-type-options'], headers['referrer-policy']]).toEqual([
      url,
      'nosniff',
      'no-referrer',
    ]);
    expect(headers['content-security-policy']).toMatch(/default-src 'none';.*frame-ancestors 'none'/);
  }
  const broken = await exchange(port, 'NONSENSE', '');
  expect([broken.statusCode, broken.headers['x-content-type-options']]).toEqual([400, 'nosniff']);
});
