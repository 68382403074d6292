import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createEgress, type PostRequest } from '../../../lib/egress/egress.ts';
import { type Served, serveHttp, serveTcp } from './servers.ts';

const REQUEST: PostRequest = {
  headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' },
  body: '{"ok":"é"}',
  timeoutMs: 5000,
  maxResponseBytes: 1024,
};

const egressTo = (server: Served) => createEgress({ allowOrigins: [server.origin] });

async function postTo(listener: RequestListener, request: Partial<PostRequest> = {}) {
  await using server = await serveHttp(listener);
  await using egress = egressTo(server);
  return await egress.post(server.origin, { ...REQUEST, ...request });
}

describe('post', () => {
  test('sends the given body and headers', async () => {
    const { body, ms } = await postTo(async (request, response) => {
      const { method, headers } = request;
      response.end(JSON.stringify({ method, headers, sent: await text(request) }));
    });
    const { method, headers, sent } = JSON.parse(body.toString());
    expect({ method, sent }).toEqual({ method: 'POST', sent: REQUEST.body });
    expect(headers).toMatchObject({ ...REQUEST.headers, 'content-length': '11' });
    expect(headers['user-agent']).toMatch(/^image-job-api/);
    expect(ms).toBeGreaterThanOrEqual(0);
  });

  test('joins the values of a repeated header', async () => {
    const { status, headers } = await postTo((_, response) =>
      response.setHeader('retry-after', ['1', '2']).setHeader('location', ['/a', '/b']).end(),
    );
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'retry-after': '1, 2', location: '/a' });
  });

  test.each([200, 204, 302, 400, 410, 429, 500])('returns a response of status %i', async (code) => {
    const { status, headers } = await postTo((_, response) =>
      response.writeHead(code, { location: '/x', 'retry-after': '7' }).end(),
    );
    expect(status).toBe(code);
    expect(headers['retry-after']).toBe('7');
  });

  test('returns the first bytes of a long response and discards the rest', async () => {
    await using server = await serveHttp((_, response) => {
      const write = () => {
        while (response.write('x'.repeat(65_536)));
      };
      response.on('drain', write);
      write();
    });
    await using egress = egressTo(server);
    const { body } = await egress.post(server.origin, REQUEST);
    expect(body.toString()).toBe('x'.repeat(1024));
    await expect.poll(() => server.open()).toBe(0);
  });

  test('does not decode an encoded body', async () => {
    const { status, body } = await postTo((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(100_000))),
    );
    expect([status, body.length]).toEqual([200, 0]);
  });

  test.each([
    ['stalls', () => {}],
    ['is cut off', (response) => response.destroy()],
  ] satisfies [string, (response: Parameters<RequestListener>[1]) => void][])(
    'returns a response whose body %s',
    async (_, then) => {
      const { status, body } = await postTo(
        (_request, response) => {
          response.writeHead(200, { 'content-length': 10 });
          response.write('abc', () => then(response));
        },
        { timeoutMs: 200 },
      );
      expect([status, body.toString()]).toEqual([200, 'abc']);
    },
  );

  test('times out when no head arrives', async () => {
    await expect(postTo(() => {}, { timeoutMs: 200 })).rejects.toMatchObject({ kind: 'timeout' });
  });

  test('fails when the receiver closes the connection', async () => {
    await using server = await serveTcp((socket) => socket.end());
    await using egress = egressTo(server);
    await expect(egress.post(server.origin, REQUEST)).rejects.toMatchObject({ kind: 'protocol' });
  });

  test('reuses its connections to a receiver, and closes them on dispose', async () => {
    await using server = await serveHttp((_, response) => response.end('x'));
    {
      await using egress = egressTo(server);
      for (let i = 0; i < 20; i += 1) await egress.post(server.origin, REQUEST);
      // Two, because undici frees a connection one tick after the end of a body.
      expect(server.connections()).toBeLessThanOrEqual(2);
    }
    await expect.poll(() => server.open()).toBe(0);
  });

  test('is not delayed by another receiver that hangs', async () => {
    await using slow = await serveHttp(() => {});
    await using quick = await serveHttp((_, response) => response.end('x'));
    await using egress = createEgress({ allowOrigins: [slow.origin, quick.origin] });
    const stops = Array.from({ length: 80 }, () => new AbortController());
    const held = stops.map(({ signal }) =>
      egress.post(slow.origin, { ...REQUEST, signal }).catch((error: unknown) => error),
    );
    const { status } = await egress.post(quick.origin, REQUEST);
    expect(status).toBe(200);
    for (const stop of stops) stop.abort('enough');
    expect(new Set(await Promise.all(held))).toEqual(new Set(['enough']));
  });
});
