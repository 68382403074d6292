import { getEventListeners } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createEgress, type Egress, type FetchLimits } from '../../../lib/egress/egress.ts';
import { INNER_LITERALS, INNER_NAMES } from './hosts.ts';
import { type Served, serveHttp, serveTcp } from './servers.ts';

const LIMITS: FetchLimits = { timeoutMs: 5000, maxBytes: 1000, redirects: 3, mediaType: 'image/' };
const BRIEF: FetchLimits = { ...LIMITS, timeoutMs: 200 };

const neverCalled = () => Promise.reject(new Error('DNS must not be queried'));
const egressTo = (...servers: Served[]) =>
  createEgress({ allowOrigins: servers.map(({ origin }) => origin), resolve: neverCalled });

const image = (response: ServerResponse, headers: Record<string, string | number> = {}) =>
  response.writeHead(200, { 'content-type': 'image/png', ...headers });
const redirect = (response: ServerResponse, location: string, status = 302) =>
  response.writeHead(status, { location }).end();

const endless = (response: ServerResponse) => {
  const write = () => {
    while (response.write(Buffer.alloc(65_536)));
  };
  response.on('drain', write);
  write();
};

/** The outcome of one fetch from a server with this listener. */
async function outcome(listener: RequestListener, limits = LIMITS): Promise<unknown> {
  await using server = await serveHttp(listener);
  await using egress = egressTo(server);
  return await kindOf(egress, `${server.origin}/`, limits);
}

const kindOf = (egress: Egress, url: string, limits = LIMITS): Promise<string> =>
  egress.fetch(url, limits).then(
    () => 'fetched',
    (error) => error.kind,
  );

describe('an origin for fetch alone', () => {
  test('is fetched, and reached in no other way', async () => {
    await using server = await serveHttp((_, response) => image(response).end('x'));
    await using egress = createEgress({ allowOrigins: [], fetchOrigins: [server.origin] });
    const limits = { timeoutMs: 5000, maxResponseBytes: 10 };
    expect(await kindOf(egress, server.origin)).toBe('fetched');
    for (const refused of [
      egress.check(server.origin),
      egress.post(server.origin, { ...limits, headers: {}, body: '' }),
      egress.exchange({ ...limits, method: 'GET', url: server.origin }),
    ])
      await expect(refused).rejects.toMatchObject({ kind: 'refused' });
    expect(server.connections()).toBe(1);
  });

  test('does not redirect to others', async () => {
    await using other = await serveHttp((_, response) => image(response).end('x'));
    await using server = await serveHttp((_, response) => redirect(response, other.origin));
    await using egress = createEgress({ allowOrigins: [], fetchOrigins: [server.origin] });
    expect(await kindOf(egress, server.origin)).toBe('refused');
    expect(other.connections()).toBe(0);
  });
});

describe('a response within the limits', () => {
  test('is returned with its URL, status, type and body', async () => {
    await using server = await serveHttp((request, response) => {
      image(response, { 'content-type': 'Image/PNG; charset=binary' }).end(JSON.stringify(request.headers));
    });
    await using egress = egressTo(server);
    const { url, status, contentType, body } = await egress.fetch(`${server.origin}/a b?c#d`, LIMITS);
    expect({ url, status, contentType }).toEqual({
      url: `${server.origin}/a%20b?c#d`,
      status: 200,
      contentType: 'image/png',
    });
    const sent = JSON.parse(body.toString());
    expect(sent).toMatchObject({ host: `127.0.0.1:${server.port}`, 'accept-encoding': 'identity' });
    expect(Object.keys(sent).sort()).toEqual(['accept-encoding', 'connection', 'host', 'user-agent']);
  });

  test('leaves no open connection', async () => {
    await using server = await serveHttp((_, response) => image(response).end('x'));
    await using egress = egressTo(server);
    await egress.fetch(server.origin, LIMITS);
    await expect.poll(() => server.open()).toBe(0);
  });

  test('may be exactly as large as the limit', async () => {
    expect(await outcome((_, response) => image(response).end('x'.repeat(1000)))).toBe('fetched');
  });
});

describe('an unread body', () => {
  test.each([
    ['of a redirect', 302, 'fetched'],
    ['of a rejected response', 500, 'status'],
  ])('%s is discarded', async (_, status, expected) => {
    await using server = await serveHttp(({ url }, response) => {
      if (url === '/image') image(response).end('x');
      else endless(response.writeHead(status, { location: '/image' }));
    });
    await using egress = egressTo(server);
    expect(await kindOf(egress, server.origin)).toBe(expected);
    await expect.poll(() => server.open()).toBe(0);
  });
});

describe('redirects', () => {
  const chain: RequestListener = (request, response) => {
    const left = Number(request.url?.slice(1));
    if (left > 0) redirect(response, `/${left - 1}`);
    else image(response).end('x');
  };

  test.each([
    [3, 'fetched'],
    [4, 'redirects'],
  ])('%i of them: %s', async (count, expected) => {
    await using server = await serveHttp(chain);
    await using egress = egressTo(server);
    expect(await kindOf(egress, `${server.origin}/${count}`)).toBe(expected);
  });

  test.each([301, 302, 303, 307, 308])('status %i is followed', async (status) => {
    const listener: RequestListener = ({ url }, response) =>
      url === '/x' ? image(response).end('x') : redirect(response, 'x', status);
    expect(await outcome(listener)).toBe('fetched');
  });

  test('a loop ends', async () => {
    expect(await outcome((_, response) => redirect(response, '/'))).toBe('redirects');
  });

  test('without a Location or with a malformed one are errors', async () => {
    expect(await outcome((_, response) => response.writeHead(302).end())).toBe('redirects');
    expect(await outcome((_, response) => redirect(response, 'http://['))).toBe('refused');
  });

  test('statuses 300 and 304 are not followed', async () => {
    expect(await outcome((_, response) => redirect(response, '/x', 300))).toBe('status');
    expect(await outcome((_, response) => redirect(response, '/x', 304))).toBe('status');
  });

  test('to non-public hosts, to http and to other schemes are refused', async () => {
    const targets = [
      ...[...INNER_LITERALS, ...INNER_NAMES].map((host) => `https://${host}/`),
      'http://example.com/',
      'https://user:secret@example.com/',
      'file:///etc/passwd',
      'data:image/png;base64,AAAA',
    ];
    await using server = await serveHttp((request, response) =>
      // Node writes headers as Latin-1; this makes the bytes on the wire UTF-8, as servers send
      // such names.
      redirect(response, Buffer.from(targets[Number(request.url?.slice(1))] ?? '').toString('latin1')),
    );
    await using egress = egressTo(server);
    for (const [i, target] of targets.entries())
      expect(await kindOf(egress, `${server.origin}/${i}`), target).toBe('refused');
  });

  test('from an allowed origin to another port of the same host are refused without connecting', async () => {
    await using inner = await serveHttp((_, response) => image(response).end('secret'));
    await using server = await serveHttp((_, response) => redirect(response, inner.origin));
    await using egress = egressTo(server);
    expect(await kindOf(egress, server.origin)).toBe('refused');
    expect(inner.connections()).toBe(0);
  });

  test('to a name that resolves to a private address are refused', async () => {
    await using server = await serveHttp((_, response) => redirect(response, 'https://inner.example.com/'));
    const resolve = async () => [{ address: '10.0.0.1', family: 4 }];
    await using egress = createEgress({ allowOrigins: [server.origin], resolve });
    expect(await kindOf(egress, server.origin)).toBe('refused');
  });

  test('share one time limit', async () => {
    const slowly: RequestListener = (_, response) => {
      setTimeout(() => redirect(response, '/'), 60);
    };
    expect(await outcome(slowly, { ...BRIEF, redirects: 100 })).toBe('timeout');
  });
});

describe('a response is rejected for', () => {
  test.each([204, 301, 400, 401, 404, 410, 500, 503])('status %i', async (status) => {
    const listener: RequestListener = (_, response) => response.writeHead(status).end();
    const expected = { 204: 'content_type', 301: 'redirects' }[status] ?? 'status';
    expect(await outcome(listener)).toBe(expected);
  });

  test('its status, which the error has', async () => {
    await using server = await serveHttp((_, response) => response.writeHead(503).end());
    await using egress = egressTo(server);
    await expect(egress.fetch(server.origin, LIMITS)).rejects.toMatchObject({ kind: 'status', status: 503 });
  });

  test.each(['text/html', 'application/octet-stream', 'imagery/png', ' ', 'text/plain, image/png'])(
    'Content-Type %j',
    async (type) => {
      expect(await outcome((_, response) => image(response, { 'content-type': type }).end('x'))).toBe(
        'content_type',
      );
    },
  );

  test.each(['gzip', 'br', 'deflate', 'identity, gzip', 'x-unknown'])(
    'Content-Encoding %s',
    async (encoding) => {
      const bomb = gzipSync(Buffer.alloc(100_000));
      expect(
        await outcome((_, response) => image(response, { 'content-encoding': encoding }).end(bomb)),
      ).toBe('content_encoding');
    },
  );

  test('a Content-Length over the limit, before any body is read', async () => {
    expect(await outcome((_, response) => image(response, { 'content-length': 1001 }).flushHeaders())).toBe(
      'too_large',
    );
  });

  test('a body over the limit without a Content-Length', async () => {
    expect(await outcome((_, response) => image(response).end('x'.repeat(1001)))).toBe('too_large');
  });

  test('a body that never ends', async () => {
    const flood: RequestListener = (_, response) => endless(image(response));
    expect(await outcome(flood, { ...LIMITS, maxBytes: 5_000_000 })).toBe('too_large');
  });
});

describe('a server that stalls', () => {
  test('before the head', async () => {
    expect(await outcome(() => {}, BRIEF)).toBe('timeout');
  });

  test('in the head, sent line by line', async () => {
    await using server = await serveTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x: y\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    await using egress = egressTo(server);
    expect(await kindOf(egress, server.origin, BRIEF)).toBe('timeout');
    await expect.poll(() => server.open()).toBe(0);
  });

  test('in the body, sent byte by byte', async () => {
    const drip: RequestListener = (_, response) => {
      image(response);
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    };
    expect(await outcome(drip, BRIEF)).toBe('timeout');
  });

  test('with endless interim responses', async () => {
    await using server = await serveTcp((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    await using egress = egressTo(server);
    expect(await kindOf(egress, server.origin)).toBe('protocol');
    await expect.poll(server.open).toBe(0);
  });

  test('in the DNS lookup', async () => {
    let respond = () => {};
    const noAddress = new Promise<never>((_, reject) => {
      respond = () => reject(new Error('ENOTFOUND'));
    });
    await using egress = createEgress({ allowOrigins: [], resolve: () => noAddress });
    expect(await kindOf(egress, 'https://slow.example.com/', BRIEF)).toBe('timeout');
    respond();
  });

  test("leaves no listener on the caller's signal", async () => {
    const { signal } = new AbortController();
    expect(await outcome((_, response) => image(response).end('x'), { ...LIMITS, signal })).toBe('fetched');
    expect(await outcome(() => {}, { ...BRIEF, signal })).toBe('timeout');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test("is ended by the caller's abort, whose reason is thrown", async () => {
    const reason = new Error('the client disconnected');
    const caller = new AbortController();
    await using server = await serveHttp(() => caller.abort(reason));
    await using egress = egressTo(server);
    await expect(egress.fetch(server.origin, { ...LIMITS, signal: caller.signal })).rejects.toBe(reason);
    await expect(egress.fetch(server.origin, { ...LIMITS, signal: caller.signal })).rejects.toBe(reason);
  });
});

describe('a server that violates the protocol', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n';

  test.each([
    ['resets at once', (socket) => socket.resetAndDestroy()],
    ['hangs up at once', (socket) => socket.end()],
    ['hangs up inside the head', (socket) => socket.end(head)],
    ['hangs up inside the body', (socket) => socket.end(`${head}content-length: 10\r\n\r\nabc`)],
    [
      'resets inside the body',
      (socket) => socket.write(`${head}content-length: 10\r\n\r\nabc`, () => socket.resetAndDestroy()),
    ],
    ['hangs up inside a chunk', (socket) => socket.end(`${head}transfer-encoding: chunked\r\n\r\n5\r\nab`)],
    ['speaks another protocol', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
    ['sends a flood of headers', (socket) => socket.end(`${head}${'x: y\r\n'.repeat(20_000)}\r\n`)],
    ['sends a giant header', (socket) => socket.end(`${head}x: ${'y'.repeat(100_000)}\r\n\r\n`)],
    ['gives two lengths', (socket) => socket.end(`${head}content-length: 1\r\ncontent-length: 2\r\n\r\nab`)],
    [
      'gives a length and chunks',
      (socket) => socket.end(`${head}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    ],
  ] satisfies [string, Parameters<typeof serveTcp>[0]][])('%s', async (_, talk) => {
    await using server = await serveTcp(talk);
    await using egress = egressTo(server);
    expect(await kindOf(egress, server.origin)).toBe('protocol');
  });

  test('or refuses the connection', async () => {
    const server = await serveHttp(() => {});
    await using egress = egressTo(server);
    await server[Symbol.asyncDispose]();
    expect(await kindOf(egress, server.origin)).toBe('connect');
  });
});
