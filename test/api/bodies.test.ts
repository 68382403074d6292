import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApiLimits } from '../../api/admission/limits.ts';
import { createRequestPermits } from '../../api/admission/request-permits.ts';
import { checkBodyHeaders, limitBody, readJobBody, registerBodies } from '../../api/http/bodies.ts';
import { CONNECTION_LIMITS } from '../../api/http/connections.ts';
import type { JobBody } from '../../api/intake/job-body.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import type { Caller } from '../../lib/domain/records.ts';

const MB = 1024 * 1024;
const WAIT = { timeout: 10_000 };
let app: FastifyInstance;
let seen: JobBody | undefined;
const dialled: Socket[] = [];

/** The real hooks in their real order, with an authentication hook that accepts one key. */
beforeEach(async () => {
  seen = undefined;
  app = fastify(CONNECTION_LIMITS);
  app.setErrorHandler<Error>((error, _request, reply) => {
    const { status, code } = error instanceof ApiError ? error : { status: 500, code: String(error) };
    return reply.code(status).send({ code, message: error.message });
  });
  const limits = createApiLimits({ bytesInFlight: 128 * MB, unpaidBytesPerMinute: 0 });
  app.addHook('onRequest', (request, reply) => limitBody(limits, request, reply));
  app.addHook('onRequest', async (request) => {
    // The key is looked up, and the body arrives meanwhile.
    await delay(5);
    if (request.headers['x-api-key'] !== 'good') throw new ApiError('invalid_api_key', 'no');
    request.caller = { keyId: 'good', accountId: 'good' } as Caller;
  });
  app.addHook('onRequest', async (request, reply) => checkBodyHeaders(request, reply));
  registerBodies(app, limits);
  app.post('/jobs', { config: { group: 'create-job' } }, async (request, reply) => {
    using permits = createRequestPermits(request.caller, reply.raw);
    seen = (await readJobBody(request, reply, permits, limits)).body;
    return { fields: seen.fields };
  });
  app.delete('/jobs', async (request) => ({ body: request.body ?? null }));
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  for (const socket of dialled.splice(0)) socket.destroy();
  await app.close();
});

const port = () => (app.server.address() as { port: number }).port;
const json = { 'content-type': 'application/json', 'x-api-key': 'good' };

async function post(body: string | Buffer, headers: Record<string, string> = json) {
  const response = await fetch(`http://127.0.0.1:${port()}/jobs`, {
    method: 'POST',
    body: new Uint8Array(Buffer.from(body)),
    headers,
  });
  return {
    status: response.status,
    connection: response.headers.get('connection'),
    body: await response.json(),
  };
}

interface Dialled {
  socket: Socket;
  /** Everything received so far. */
  received: () => string;
  closed: Promise<unknown>;
}

/** Opens a raw connection and sends a request head. */
async function dial(head: string[]): Promise<Dialled> {
  const socket = connect(port(), '127.0.0.1');
  dialled.push(socket);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  const closed = new Promise((resolve) => socket.on('close', resolve).on('error', resolve));
  await once(socket, 'connect');
  socket.write(`${['POST /jobs HTTP/1.1', 'Host: x', ...head].join('\r\n')}\r\n\r\n`);
  return { socket, received: () => text, closed };
}

async function sendChunks({ socket, closed }: Dialled, count: number, size: number): Promise<void> {
  const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
  for (let n = 0; n < count && !socket.destroyed; n++)
    if (!socket.write(chunk))
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
}

describe('a body of POST /jobs', () => {
  test('is passed to the handler with its image decoded', async () => {
    const bytes = Buffer.alloc(20 * MB, 7);
    const { status, connection } = await post(`{"tool":"x","image_base64":"${bytes.toString('base64')}"}`);
    expect([status, connection]).toEqual([200, 'keep-alive']);
    const image = seen?.image;
    expect(image !== undefined && 'bytes' in image && image.bytes.equals(bytes)).toBe(true);
  });

  test('may be chunked, or injected', async () => {
    const { socket, received, closed } = await dial([
      'X-Api-Key: good',
      'Content-Type: application/json; charset=utf-8',
      'Transfer-Encoding: chunked',
      'Connection: close',
    ]);
    socket.write('5\r\n{"too\r\n8\r\nl":"pool\r\n2\r\n"}\r\n0\r\n\r\n');
    await closed;
    expect(received()).toContain('{"fields":{"tool":"pool"}}');
    const injected = await app.inject({ method: 'POST', url: '/jobs', headers: json, payload: '{"a":1}' });
    expect(injected.json()).toEqual({ fields: { a: 1 } });
  });

  test.each([
    ['no content type', { 'x-api-key': 'good' }, '{}'],
    ['another content type', { 'x-api-key': 'good', 'content-type': 'text/plain' }, '{}'],
    ['a malformed content type', { 'x-api-key': 'good', 'content-type': '/;=' }, '{}'],
    ['another charset', { ...json, 'content-type': 'application/json; charset=latin1' }, '{}'],
    ['a compressed body', { ...json, 'content-encoding': 'gzip' }, '{}'],
    ['no body', json, ''],
    ['broken JSON', json, '{'],
  ])('%s is invalid_request', async (_name, headers, payload) => {
    const response = await app.inject({ method: 'POST', url: '/jobs', headers, payload });
    expect([response.statusCode, response.json().code]).toEqual([400, 'invalid_request']);
  });

  test('rejected early in a large body gets a response, not a reset', async () => {
    const response = await post(`${'['.repeat(100)}${' '.repeat(29 * MB)}`);
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  test('is not read by other routes', async () => {
    const url = `http://127.0.0.1:${port()}/jobs`;
    for (const headers of [json, { 'x-api-key': 'good', 'content-type': 'x/y' }, { 'x-api-key': 'good' }]) {
      const response = await fetch(url, { method: 'DELETE', body: new Uint8Array([1, 2]), headers });
      expect(await response.json()).toEqual({ body: null });
    }
  });
});

describe('the limit of a body', () => {
  test('is 30 MB with the key header', async () => {
    const pad = (length: number) => `{"tool":"x"${' '.repeat(length - 12)}}`;
    expect(await post(pad(30 * MB))).toMatchObject({ status: 200 });
    expect(await post(pad(30 * MB + 1))).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  });

  test('is 1 MB without it, checked before the key', async () => {
    const headers = { 'content-type': 'application/json' };
    expect(await post(Buffer.alloc(MB + 1, 'x'), headers)).toMatchObject({ status: 413 });
    expect(await post(Buffer.alloc(MB, 'x'), headers)).toMatchObject({ status: 401 });
    expect(await post('{}', headers)).toMatchObject({ status: 401, connection: 'keep-alive' });
  });

  test('does not matter with a wrong key, which gets 401 before the body is received', async () => {
    const { socket, received, closed } = await dial(['X-Api-Key: bad', `Content-Length: ${29 * MB}`]);
    await expect.poll(received, WAIT).toContain('invalid_api_key');
    expect(received()).toMatch(/^HTTP\/1\.1 401 /);
    expect(received()).toMatch(/connection: close/i);
    socket.end();
    await closed;
  });

  test('is reported to a client that sends everything before it reads', async () => {
    expect(await post(Buffer.alloc(29 * MB, 'x'), { 'x-api-key': 'bad' })).toMatchObject({ status: 401 });
    expect(await post(Buffer.alloc(40 * MB, 'x'), json)).toMatchObject({ status: 413 });
  });

  test('is reported to a client that writes all it can before it reads', async () => {
    const { socket, received, closed } = await dial(['X-Api-Key: bad', `Content-Length: ${5 * MB}`]);
    socket.pause();
    socket.write(Buffer.alloc(5 * MB, 'x'));
    await delay(50);
    socket.resume();
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 401 /);
  });

  test('applies to the bytes received when the length is unknown', async () => {
    const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const withKey = await dial([...chunked, 'X-Api-Key: good']);
    withKey.socket.write('b\r\n{"tool":"x"\r\n');
    const spaces = `${MB.toString(16)}\r\n${' '.repeat(MB)}\r\n`;
    for (let n = 0; n < 31; n++) withKey.socket.write(spaces);
    await expect.poll(withKey.received, WAIT).toMatch(/^HTTP\/1\.1 413 /);

    const withoutKey = await dial(chunked);
    await sendChunks(withoutKey, 17, 64 * 1024);
    await expect.poll(withoutKey.received, WAIT).toMatch(/^HTTP\/1\.1 413 /);

    const small = await dial(chunked);
    await sendChunks(small, 15, 64 * 1024);
    small.socket.write('0\r\n\r\n');
    await expect.poll(small.received, WAIT).toMatch(/^HTTP\/1\.1 401 /);
  });

  test('bounds what is read of an endless body', async () => {
    const client = await dial(['X-Api-Key: bad', 'Transfer-Encoding: chunked']);
    await sendChunks(client, 2000, 64 * 1024);
    await client.closed;
    expect(client.received()).toContain('invalid_api_key');
    expect(client.socket.bytesWritten).toBeLessThan(120 * MB);
  });

  test('leaves no connection when the client disconnects during the body', async () => {
    const { socket, closed } = await dial([
      'X-Api-Key: good',
      'Content-Type: application/json',
      `Content-Length: ${MB}`,
    ]);
    socket.write('{"tool":');
    socket.destroy();
    await closed;
    const connections = () =>
      new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)));
    await expect.poll(connections, WAIT).toBe(0);
    expect(seen).toBeUndefined();
  });
});
