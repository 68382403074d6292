import type { RequestListener } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PACE } from '../../../lib/contract/limits.ts';
import { createEgress, type ExchangeRequest } from '../../../lib/egress/egress.ts';
import { certificateFor, type Served, serveHttp, serveHttps, serveTcp } from './servers.ts';

const MB = 1024 * 1024;
const neverCalled = () => Promise.reject(new Error('DNS must not be queried'));
const egressTo = ({ origin }: Served) => createEgress({ allowOrigins: [origin], resolve: neverCalled });

const get = (url: string, limits: Partial<ExchangeRequest> = {}): ExchangeRequest => ({
  method: 'GET',
  url,
  timeoutMs: 5000,
  maxResponseBytes: 1000,
  ...limits,
});

async function exchangeWith(listener: RequestListener, request: Partial<ExchangeRequest> = {}) {
  await using server = await serveHttp(listener);
  await using egress = egressTo(server);
  return await egress.exchange(get(server.origin, request));
}

describe('an exchange', () => {
  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'sends %s with its headers and body, and asks for no encoding',
    async (method) => {
      const echo: RequestListener = async (request, response) => {
        const { method, headers, url } = request;
        response.end(JSON.stringify({ method, headers, url, body: await text(request) }));
      };
      const body = method === 'GET' ? {} : { body: '{"é":1}' };
      await using server = await serveHttp(echo);
      await using egress = egressTo(server);
      const headers = { 'x-key': 'secret', 'content-type': 'application/json' };
      const answer = await egress.exchange(get(`${server.origin}/v1/a?b=c`, { method, headers, ...body }));
      expect(JSON.parse(answer.body.toString())).toMatchObject({
        method,
        url: '/v1/a?b=c',
        headers: { ...headers, 'accept-encoding': 'identity' },
        body: method === 'GET' ? '' : '{"é":1}',
      });
    },
  );

  test('sends and returns bodies of many megabytes', async () => {
    const sent = Buffer.alloc(30 * MB, 'x');
    const echo: RequestListener = async (request, response) => response.end(await buffer(request));
    const request = { method: 'POST', body: sent, maxResponseBytes: 30 * MB } as const;
    expect((await exchangeWith(echo, request)).body.equals(sent)).toBe(true);
  });

  test.each([200, 201, 204, 301, 302, 307, 400, 401, 422, 429, 500, 503])(
    'returns status %i with headers and body, and follows nothing',
    async (code) => {
      let requests = 0;
      const answer = await exchangeWith((_, response) => {
        requests += 1;
        const headers = {
          'retry-after': '7',
          location: 'https://example.com/x',
          'content-type': 'text/html',
        };
        response.writeHead(code, headers).end(code === 204 ? undefined : '<html>');
      });
      expect(answer.status).toBe(code);
      expect(answer.headers).toMatchObject({ 'retry-after': '7', location: 'https://example.com/x' });
      expect(answer.body.toString()).toBe(code === 204 ? '' : '<html>');
      expect(requests).toBe(1);
    },
  );

  test('returns repeated headers joined', async () => {
    const { headers } = await exchangeWith((_, response) =>
      response.setHeader('x-a', ['1', '2']).setHeader('__proto__', 'x').end(),
    );
    expect(headers['x-a']).toBe('1, 2');
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
  });

  test('accepts a body that is exactly as large as the limit', async () => {
    const { body } = await exchangeWith((_, response) => response.end('x'.repeat(1000)));
    expect(body).toHaveLength(1000);
  });

  test('waits for a body that pauses after the head, within its own time limit', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    let finish: () => void = () => {};
    const exchange = exchangeWith(
      (_, response) => {
        response.writeHead(200, { 'content-length': 1 }).flushHeaders();
        finish = () => response.end('x');
      },
      { timeoutMs: 3 * PACE.slackMs },
    );
    exchange.catch(() => {});
    for (let ms = 0; ms < 2 * PACE.slackMs; ms += 100) {
      // Lets the head arrive; only the clock is simulated.
      await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(100);
    }
    finish();
    expect((await exchange).body.toString()).toBe('x');
  });
});

describe('a connection', () => {
  test('serves one exchange, so none meets one that the server has closed', async () => {
    let requests = 0;
    await using server = await serveHttp((_, response) => {
      requests += 1;
      response.setHeader('keep-alive', 'timeout=60').end('x', () => response.socket?.destroy());
    });
    await using egress = egressTo(server);
    for (let i = 0; i < 20; i += 1)
      expect((await egress.exchange(get(server.origin, { method: 'POST' }))).status).toBe(200);
    expect([requests, server.connections()]).toEqual([20, 20]);
  });

  test('with more bytes than announced is not used for the next exchange', async () => {
    let answers = 0;
    await using server = await serveTcp((socket) => {
      answers += 1;
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n${'abc'.repeat(2)}${answers}`);
    });
    await using egress = egressTo(server);
    for (const expected of [1, 2]) {
      expect((await egress.exchange(get(server.origin))).body.toString()).toBe('abc');
      expect(answers).toBe(expected);
    }
    await expect.poll(() => server.open()).toBe(0);
  });

  test('is closed with the egress, and the exchange fails', async () => {
    await using server = await serveHttp(() => {});
    const egress = egressTo(server);
    const exchange = egress.exchange(get(server.origin)).catch((error: unknown) => error);
    await expect.poll(() => server.open()).toBe(1);
    await egress[Symbol.asyncDispose]();
    expect(await exchange).toMatchObject({ kind: 'protocol', sent: true });
    await expect.poll(() => server.open()).toBe(0);
  });
});

describe('an egress with one allowed origin', () => {
  test('reaches plain http by address and by name, and no other port of that host', async () => {
    await using server = await serveHttp((_, response) => response.end('x'));
    await using other = await serveHttp((_, response) => response.end('secret'));
    const byName = `http://localhost:${server.port}`;
    await using egress = createEgress({ allowOrigins: [server.origin, byName], resolve: neverCalled });
    for (const url of [server.origin, byName])
      expect((await egress.exchange(get(url))).body.toString()).toBe('x');
    const refused = { name: 'ExchangeError', kind: 'refused', sent: false };
    await expect(egress.exchange(get(other.origin))).rejects.toMatchObject(refused);
    await expect(egress.fetch(other.origin, { ...get(''), maxBytes: 9, redirects: 0 })).rejects.toMatchObject(
      {
        kind: 'refused',
      },
    );
    expect(other.connections()).toBe(0);
  });

  test.each(['http://example.com/', 'https://10.0.0.1/', 'https://inner.example.com/', 'https://comfyui/'])(
    'does not reach %s',
    async (url) => {
      const resolve = async () => [{ address: '10.0.0.1', family: 4 }];
      await using egress = createEgress({ allowOrigins: ['http://comfyui:8188'], resolve });
      await expect(egress.exchange(get(url))).rejects.toMatchObject({ kind: 'refused', sent: false });
    },
  );

  test('still verifies its certificate', async () => {
    await using server = await serveHttps(certificateFor('DNS:localhost'), (_, response) =>
      response.end('x'),
    );
    const url = `https://localhost:${server.port}`;
    await using egress = createEgress({ allowOrigins: [url] });
    await expect(egress.exchange(get(url))).rejects.toMatchObject({ kind: 'tls', sent: false });
  });

  test('reads as many bytes from a connection of a fetch as it is created with', async () => {
    await using server = await serveHttp((_, response) => response.end(Buffer.alloc(26 * MB)));
    const limits = { timeoutMs: 5000, maxBytes: 40 * MB, redirects: 0 };
    await using small = egressTo(server);
    await expect(small.fetch(server.origin, limits)).rejects.toMatchObject({ kind: 'too_large' });
    await using large = createEgress({ allowOrigins: [server.origin], maxWireBytes: 44 * MB });
    expect((await large.fetch(server.origin, limits)).body).toHaveLength(26 * MB);
  });
});
