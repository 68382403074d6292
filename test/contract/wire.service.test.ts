import { request as send } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../lib/contract/errors.ts';
import { sampleImage } from '../setup/images.ts';
import { type Service, startService } from '../setup/service.ts';
import { storingGateway } from './gateway.ts';
import { error, expectError, outcome } from './responses.ts';
import { dial, exchange, listen } from './wire.ts';

const MB = 1024 * 1024;
let service: Service;
let port: number;
let key: string;
let body: string;

beforeAll(async () => {
  service = await startService({
    api: { jobGateway: storingGateway({ accept: (draft) => service.stores.jobs.accept(draft) }) },
  });
  port = await listen(service.app);
  key = (await service.client(100)).apiKey;
  body = JSON.stringify({ tool: 'declutter', image_base64: await sampleImage() });
});
afterAll(async () => service?.[Symbol.asyncDispose]());

const CLOSE = 'Connection: close';
const JSON_TYPE = 'Content-Type: application/json';
const host = () => `Host: 127.0.0.1:${port}`;
const apiKey = () => `X-Api-Key: ${key}`;
const get = (target: string, ...more: string[]) =>
  exchange(port, `GET ${target} HTTP/1.1`, host(), CLOSE, ...more, '');
const refused = (response: Awaited<ReturnType<typeof get>>, code: ErrorCode) =>
  expectError(response, code, service.config.api.publicUrl);

describe('malformed HTTP gets the error envelope', () => {
  test.each([
    ['text that is not HTTP', ['hello there', '']],
    ['an unknown method', ['BREW /api/v1/tools HTTP/1.1', '']],
    ['a method in lower case', ['get /api/v1/tools HTTP/1.1', '']],
    ['a target without a slash', ['GET account HTTP/1.1', '']],
    ['an unknown version', ['GET /api/v1/tools HTTP/9.9', '']],
    ['a header without a colon', ['GET /api/v1/tools HTTP/1.1', 'Host', '']],
    ['a NUL in a header', ['GET /api/v1/tools HTTP/1.1', 'Host: x', 'X-Api-Key: a\0b', '']],
    ['a NUL in the target', ['GET /api/v1/\0 HTTP/1.1', 'Host: x', '']],
    ['a header folded over two lines', ['GET /api/v1/tools HTTP/1.1', 'Host: x', 'X-A: 1', ' 2', '']],
    ['a length that is not a number', ['POST /api/v1/jobs HTTP/1.1', 'Host: x', 'Content-Length: ten', '']],
    ['two lengths', ['POST / HTTP/1.1', 'Host: x', 'Content-Length: 1', 'Content-Length: 2', '']],
    [
      'length and chunks together',
      ['POST / HTTP/1.1', 'Host: x', 'Content-Length: 5', 'Transfer-Encoding: chunked', ''],
    ],
    [
      'an unknown transfer coding at the end',
      ['POST / HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked, gzip', ''],
    ],
    ['headers of 20 KB', ['GET /api/v1/tools HTTP/1.1', 'Host: x', `X-A: ${'a'.repeat(20_000)}`, '']],
    ['a target of 20 KB', [`GET /api/v1/${'a'.repeat(20_000)} HTTP/1.1`, 'Host: x', '']],
    ['no Host', ['GET /api/v1/tools HTTP/1.1', CLOSE, '']],
  ])('%s', async (_name, lines) => refused(await exchange(port, ...lines), 'invalid_request'));

  test('a broken chunk in the middle of a body', async () => {
    const head = [
      'POST /api/v1/jobs HTTP/1.1',
      host(),
      apiKey(),
      JSON_TYPE,
      'Transfer-Encoding: chunked',
      '',
    ];
    const wire = await dial(port, ...head);
    refused(await wire.response('4\r\n{"a"\r\nzz\r\n'), 'invalid_request');
  });

  test('a broken second request after a good one', async () => {
    const wire = await dial(port, 'GET /api/v1/tools HTTP/1.1', host(), apiKey(), '');
    await expect.poll(wire.received).toContain('images_cost');
    refused(await wire.response('nonsense\r\n\r\n'), 'invalid_request');
    expect(wire.received()).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test('malformed bytes after a complete request do not prevent its response, since it may be charged', async () => {
  const client = await service.client();
  const head = [
    'POST /api/v1/jobs HTTP/1.1',
    host(),
    JSON_TYPE,
    `X-Api-Key: ${client.apiKey}`,
    `Content-Length: ${body.length}`,
    '',
  ];
  const wire = await dial(port, ...head);
  expect(outcome(await wire.response(`${body}nonsense\r\n\r\n`))).toBe('201');
  expect((await service.stores.accounts.get(client.accountId)).balance).toBe(49);
});

test('malformed bytes after several complete requests do not prevent their responses', async () => {
  const client = await service.client();
  const key = `X-Api-Key: ${client.apiKey}`;
  const head = [
    'POST /api/v1/jobs HTTP/1.1',
    host(),
    JSON_TYPE,
    key,
    `Content-Length: ${body.length}`,
    '',
    '',
  ];
  const wire = await dial(port);
  await wire.response(`${`${head.join('\r\n')}${body}`.repeat(3)}nonsense\r\n\r\n`);
  expect(wire.received().match(/HTTP\/1\.1 \d+/g)).toEqual(Array(3).fill('HTTP/1.1 201'));
  expect((await service.stores.accounts.get(client.accountId)).balance).toBe(47);
});

describe('targets', () => {
  test.each([
    '/api/v1/account',
    '/api/v1/account?x=1&x=2&__proto__=3',
    '/api/v1/account?%zz',
    '/api/v1/%61ccount',
    'http://example.com/api/v1/account',
    'HTTPS://example.com:8443/api/v1/account?x',
  ])('%s is the account', async (target) => {
    expect(outcome(await get(target, apiKey()))).toBe('200');
  });

  test.each([
    '/',
    '/api/v1',
    '/api/v1/account/',
    '/api/v1//account',
    '//api/v1/account',
    '/api/v1/../v1/account',
    '/api%2Fv1%2Faccount',
    '/API/v1/account',
    '/api/v1/Account',
    '/api/v2/account',
    '/api/v1/account;x=1',
    '/api/v1/account%00',
    '/api/v1/%zz',
    '/%',
    '/%c0%ae%c0%ae/etc/passwd',
    '*',
    'ftp://example.com/api/v1/account',
  ])('%s is not found', async (target) => refused(await get(target, apiKey()), 'not_found'));

  test.each([
    '/api/v1/jobs/',
    '/api/v1/jobs/1',
    '/api/v1/jobs/%zz',
    '/api/v1/jobs/%00',
    '/api/v1/jobs/%F0%9F%98%80',
    '/api/v1/jobs/__proto__',
    '/api/v1/jobs/a%2Fb',
    `/api/v1/jobs/${'1'.repeat(15_000)}`,
    '/api/v1/jobs/00000000-0000-0000-0000-000000000000',
    '/api/v1/jobs/{00000000-0000-4000-8000-000000000000}',
  ])('%s is job_not_found', async (target) => refused(await get(target, apiKey()), 'job_not_found'));

  test('the id of a job may be in upper case', async () => {
    const created = await send(`http://127.0.0.1:${port}/api/v1/jobs`, {
      method: 'POST',
      body,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    });
    const { job_id } = (await created.body.json()) as { job_id: string };
    const read = await get(`/api/v1/jobs/${job_id.toUpperCase()}`, apiKey());
    expect([read.statusCode, JSON.parse(read.body).job_id]).toEqual([200, job_id]);
  });
});

describe('methods', () => {
  const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'];
  test.each([
    ['/api/v1/jobs', 'GET, HEAD, POST'],
    ['/api/v1/jobs/1', 'DELETE, GET, HEAD'],
    ['/api/v1/jobs/1/cancel', 'POST'],
    ['/api/v1/account', 'GET, HEAD'],
    ['/api/v1/tools', 'GET, HEAD'],
  ])('%s allows %s; other methods get 405', async (path, allowed) => {
    for (const method of METHODS.filter((name) => !allowed.split(', ').includes(name))) {
      const response = await exchange(port, `${method} ${path} HTTP/1.1`, host(), CLOSE, '');
      refused(response, 'method_not_allowed');
      expect(response.headers.allow).toBe(allowed);
    }
  });

  test('HEAD is GET without the body, errors included', async () => {
    for (const [target, status] of [
      ['/api/v1/tools', 200],
      ['/api/v1/jobs/1', 404],
      ['/api/v1/nothing', 404],
      ['/api/v1/jobs', 200],
      ['/api/v1/jobs/1/cancel', 405],
    ] as const) {
      const head = await exchange(port, `HEAD ${target} HTTP/1.1`, host(), CLOSE, apiKey(), '');
      const full = status === 405 ? undefined : await get(target, apiKey());
      expect([head.statusCode, head.body]).toEqual([status, '']);
      if (full !== undefined && status === 200)
        expect(head.headers['content-length']).toBe(full.headers['content-length']);
    }
    expect((await exchange(port, 'HEAD /api/v1/tools HTTP/1.1', host(), CLOSE, '')).statusCode).toBe(401);
  });
});

describe('bodies', () => {
  const head = (...more: string[]) => ['POST /api/v1/jobs HTTP/1.1', host(), CLOSE, JSON_TYPE, ...more, ''];

  test('may arrive byte by byte while other requests are served', async () => {
    const wire = await dial(port, ...head(apiKey(), `Content-Length: ${body.length}`));
    for (const byte of body.slice(0, 40)) {
      wire.socket.write(byte);
      expect((await get('/api/v1/tools', apiKey())).statusCode).toBe(200);
    }
    expect(outcome(await wire.response(body.slice(40)))).toBe('201');
  });

  test('may be chunked with extensions and trailers', async () => {
    const wire = await dial(port, ...head(apiKey(), 'Transfer-Encoding: chunked'));
    const [first, rest] = [body.slice(0, 7), body.slice(7)];
    const chunks = `7;a=b\r\n${first}\r\n${rest.length.toString(16)}\r\n${rest}\r\n0\r\nX-End: 1\r\n\r\n`;
    expect(outcome(await wire.response(chunks))).toBe('201');
  });

  test('that wait for 100 Continue are not requested when the request is rejected', async () => {
    const expects = ['Expect: 100-continue', `Content-Length: ${body.length}`];
    const wire = await dial(port, ...head('X-Api-Key: wrong', ...expects));
    await expect.poll(wire.received).toMatch(/^HTTP\/1\.1 401 /);
    wire.socket.end();
    refused(await wire.response(), 'invalid_api_key');
    const tooLarge = await dial(port, ...head(apiKey(), expects[0] ?? '', `Content-Length: ${31 * MB}`));
    await expect.poll(tooLarge.received).toMatch(/^HTTP\/1\.1 413 /);
    tooLarge.socket.destroy();
  });

  test('that wait for 100 Continue are requested once', async () => {
    const length = `Content-Length: ${body.length}`;
    const wire = await dial(port, ...head(apiKey(), 'Expect: 100-Continue', length));
    await expect.poll(wire.received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    expect(outcome(await wire.response(body))).toBe('201');
    expect(wire.received().match(/100 Continue/g)).toHaveLength(1);
  });

  test('that are chunked, without a key, and wait are requested, to choose between 413 and 401', async () => {
    const wire = await dial(port, ...head('Expect: 100-continue', 'Transfer-Encoding: chunked'));
    await expect.poll(wire.received).toContain('100 Continue');
    refused(await wire.response('0\r\n\r\n'), 'invalid_api_key');
  });

  test('may have any other expectation, which is ignored', async () => {
    const response = await get('/api/v1/tools', apiKey(), 'Expect: the-unexpected');
    expect(outcome(response)).toBe('200');
  });

  test('are ignored on routes without a body', async () => {
    for (const more of ['Content-Type: application/json', 'Content-Type: text/plain', 'X-None: 1']) {
      const wire = await dial(
        port,
        'GET /api/v1/tools HTTP/1.1',
        host(),
        CLOSE,
        apiKey(),
        more,
        'Content-Length: 2',
        '',
      );
      expect(outcome(await wire.response('{!'))).toBe('200');
    }
  });

  test('to an unknown path get a response, even if they are huge', async () => {
    const target = `http://127.0.0.1:${port}/api/v1/images`;
    const response = await send(target, {
      method: 'POST',
      body: Buffer.alloc(20 * MB),
      headers: { 'x-api-key': key },
    });
    expect([response.statusCode, await response.body.json()]).toMatchObject([
      404,
      { error: { code: 'not_found' } },
    ]);
  });
});

describe('repeated headers', () => {
  const twice = (name: string, first: string, second: string) =>
    dial(
      port,
      ...['POST /api/v1/jobs HTTP/1.1', host(), CLOSE, JSON_TYPE, `Content-Length: ${body.length}`],
      ...(name === 'X-Api-Key' ? [] : [apiKey()]),
      ...[`${name}: ${first}`, `${name}: ${second}`, ''],
    ).then((wire) => wire.response(body));

  test('X-Api-Key is rejected, even with the same key', async () => {
    expect(outcome(await twice('X-Api-Key', key, key))).toBe(error('invalid_api_key'));
  });

  test('Idempotency-Key is rejected', async () => {
    refused(await twice('Idempotency-Key', 'a', 'b'), 'invalid_request');
    refused(await twice('Idempotency-Key', 'a', 'a'), 'invalid_request');
  });

  test('X-Request-Id is replaced', async () => {
    expect((await twice('X-Request-Id', 'a', 'b')).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});
