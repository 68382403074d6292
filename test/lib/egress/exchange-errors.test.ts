import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createEgress, type ExchangeRequest } from '../../../lib/egress/egress.ts';
import { type Served, serveHttp, serveTcp } from './servers.ts';

const egressTo = ({ origin }: Served) => createEgress({ allowOrigins: [origin] });

const post = (url: string, limits: Partial<ExchangeRequest> = {}): ExchangeRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json' },
  body: '{}',
  timeoutMs: 5000,
  maxResponseBytes: 1000,
  ...limits,
});
const BRIEF = { timeoutMs: 200 };

/** The error of one exchange; the server must have been called once, and its connection closed. */
async function errorFrom(server: Served, limits: Partial<ExchangeRequest> = {}) {
  await using egress = egressTo(server);
  const error: unknown = await egress.exchange(post(server.origin, limits)).catch((error: unknown) => error);
  expect(server.connections()).toBe(1);
  await expect.poll(() => server.open()).toBe(0);
  return error;
}

/** Moves the simulated clock after what was sent has had some turns of the event loop to arrive. */
async function passTime(ms: number) {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(ms);
}

const OK = 'HTTP/1.1 200 OK\r\n';
const LENGTH_10 = `${OK}Content-Length: 10\r\n\r\n`;
const maybeSent = (kind: string) => ({ name: 'ExchangeError', kind, sent: true });
const notSent = (kind: string) => ({ name: 'ExchangeError', kind, sent: false });

/**
 * A look-up that ends only when it is told to: the socket that waits for it would stay open for 10
 * seconds.
 */
function pendingLookup() {
  let fail = () => {};
  const noAddress = new Promise<never>((_, reject) => {
    fail = () => reject(new Error('ENOTFOUND'));
  });
  return { resolve: () => noAddress, fail: () => fail() };
}

describe('a request that may have been received is reported as sent when the server', () => {
  test.each([
    ['closes the connection', (socket) => socket.end()],
    ['resets the connection', (socket) => socket.resetAndDestroy()],
    ['speaks another protocol', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
    ['cuts the head', (socket) => socket.end(`${OK}Content-Le`)],
    ['cuts a body of announced length', (socket) => socket.end(`${LENGTH_10}abc`)],
    ['resets in the body', (socket) => socket.write(`${LENGTH_10}abc`, () => socket.resetAndDestroy())],
    ['cuts a chunk', (socket) => socket.end(`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nab`)],
    [
      'leaves out the last chunk',
      (socket) => socket.end(`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n`),
    ],
    ['does not say where the body ends', (socket) => socket.end(`${OK}Connection: close\r\n\r\n{"a":1}`)],
    ['sends too large a head', (socket) => socket.end(`${OK}${'x: y\r\n'.repeat(20_000)}\r\n`)],
  ] satisfies [string, (socket: Socket) => unknown][])('%s', async (_, talk) => {
    await using server = await serveTcp(talk);
    expect(await errorFrom(server)).toMatchObject(maybeSent('protocol'));
  });

  test.each([
    ['announces a body over the limit', { 'content-length': '1001' }, 'too_large'],
    ['sends a body over the limit', {}, 'too_large'],
    ['encodes the body', { 'content-encoding': 'gzip' }, 'content_encoding'],
  ])('%s', async (_, headers, kind) => {
    await using server = await serveHttp((_request, response) => {
      response.writeHead(200, headers);
      if (kind === 'content_encoding') response.end(gzipSync('{}'));
      else response.write('x'.repeat(1001));
    });
    expect(await errorFrom(server)).toMatchObject(maybeSent(kind));
  });

  test('sends endless chunk extensions', async () => {
    await using server = await serveTcp((socket) => {
      socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n1;a=`);
      const write = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(64 * 1024, 'x')));
      };
      socket.on('drain', write);
      write();
    });
    expect(await errorFrom(server)).toMatchObject(maybeSent('too_large'));
  });

  test.each([
    ['before the head', []],
    ['after the head', [LENGTH_10]],
    ['in the body', [`${LENGTH_10}abc`]],
    ['between the bytes of a slow body', [LENGTH_10, ...'abcdefghi']],
  ])('hangs %s', async (_, parts) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    await using server = await serveTcp(async (socket) => {
      for (const part of parts) {
        socket.write(part);
        await passTime(400);
      }
      await passTime(5000);
    });
    expect(await errorFrom(server)).toMatchObject(maybeSent('timeout'));
  });
});

describe('a POST whose response is lost', () => {
  const lost: [string, (request: IncomingMessage) => unknown][] = [
    ['closed', ({ socket }) => socket.destroy()],
    ['reset', ({ socket }) => socket.resetAndDestroy()],
  ];

  test.each(lost)('is not repeated after the connection was %s', async (_, end) => {
    let received = 0;
    await using server = await serveHttp((request) => {
      request.resume().on('end', () => {
        received += 1;
        end(request);
      });
    });
    expect(await errorFrom(server)).toMatchObject(maybeSent('protocol'));
    expect(received).toBe(1);
  });
});

describe('a request that cannot have been received is reported as not sent when', () => {
  test('the connection is refused', async () => {
    const server = await serveHttp(() => {});
    await server[Symbol.asyncDispose]();
    await using egress = egressTo(server);
    await expect(egress.exchange(post(server.origin))).rejects.toMatchObject(notSent('connect'));
  });

  test('the name does not resolve, or not in time', async () => {
    const url = 'https://a.example.com/';
    const unresolved = () => Promise.reject(new Error('ENOTFOUND'));
    await using egress = createEgress({ allowOrigins: [], resolve: unresolved });
    await expect(egress.exchange(post(url))).rejects.toMatchObject(notSent('unresolved'));
    const lookup = pendingLookup();
    await using slow = createEgress({ allowOrigins: [], resolve: lookup.resolve });
    await expect(slow.exchange(post(url, BRIEF))).rejects.toMatchObject(notSent('timeout'));
    lookup.fail();
  });

  test('the URL is blocked or not valid', async () => {
    await using egress = createEgress({ allowOrigins: [] });
    for (const url of ['http://127.0.0.1/', 'https://user:x@example.com/', 'nonsense'])
      await expect(egress.exchange(post(url))).rejects.toMatchObject(notSent('refused'));
  });

  test('the TLS handshake does not end', async () => {
    await using server = await serveTcp(() => {});
    const url = server.origin.replace('http', 'https');
    await using egress = createEgress({ allowOrigins: [url] });
    await expect(egress.exchange(post(url, BRIEF))).rejects.toMatchObject(notSent('timeout'));
  });

  test('a header has a line break, and the message does not show its value', async () => {
    await using server = await serveHttp((_, response) => response.end());
    await using egress = egressTo(server);
    const request = post(server.origin, { headers: { authorization: 'Bearer secret\n' } });
    const error: unknown = await egress.exchange(request).catch((error: unknown) => error);
    expect(error).toMatchObject(notSent('request'));
    expect(String(error)).not.toContain('secret');
    expect(server.connections()).toBe(0);
  });
});

describe('an error status', () => {
  test('is returned although only the end of the connection delimits its body', async () => {
    await using server = await serveTcp((socket) =>
      socket.end('HTTP/1.0 503 Service Unavailable\r\nRetry-After: 3\r\n\r\n<html>'),
    );
    await using egress = egressTo(server);
    const { status, headers, body } = await egress.exchange(post(server.origin));
    expect([status, headers['retry-after'], body.toString()]).toEqual([503, '3', '<html>']);
  });
});

describe('an abort', () => {
  test('ends an exchange with its reason, and a later response is ignored', async () => {
    const stop = new AbortController();
    let answered = false;
    await using server = await serveHttp((_, response) => {
      stop.abort('enough');
      response.end('late');
      answered = true;
    });
    expect(await errorFrom(server, { signal: stop.signal })).toBe('enough');
    expect(answered).toBe(true);
  });

  test('ends one in the lookup, in the body, and before it begins', async () => {
    const stop = new AbortController();
    const lookup = pendingLookup();
    const resolve = () => {
      stop.abort('a');
      return lookup.resolve();
    };
    await using egress = createEgress({ allowOrigins: [], resolve });
    const url = 'https://a.example.com/';
    await expect(egress.exchange(post(url, { signal: stop.signal }))).rejects.toBe('a');
    await expect(egress.exchange(post(url, { signal: stop.signal }))).rejects.toBe('a');
    lookup.fail();

    const inBody = new AbortController();
    await using server = await serveHttp((_, response) => {
      response.write('x', () => inBody.abort('b'));
    });
    expect(await errorFrom(server, { signal: inBody.signal })).toBe('b');
  });
});
