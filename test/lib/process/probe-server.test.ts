import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  jsonAnswer,
  openHealth,
  openProbeServer,
  type ProbeServer,
} from '../../../lib/process/probe-server.ts';
import { createReadiness } from '../../../lib/process/readiness.ts';

const LOOPBACK = { host: '127.0.0.1', port: 0, variable: 'HEALTH_PORT' } as const;
let server: ProbeServer;

beforeAll(async () => {
  server = await openProbeServer(LOOPBACK, {
    '/page': async () => jsonAnswer(200, { is: 'here' }),
    '/broken': () => Promise.reject(new Error('with a secret')),
  });
});
afterAll(() => server[Symbol.asyncDispose]());

test('a page is served to GET and HEAD, whatever the query', async () => {
  const response = await fetch(`${server.origin}/page?x=1`);
  expect([response.status, await response.json()]).toEqual([200, { is: 'here' }]);
  const head = await fetch(`${server.origin}/page`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '13', '']);
});

test('other methods and paths are refused, and an error is not shown', async () => {
  const post = await fetch(`${server.origin}/page`, { method: 'POST', body: 'x'.repeat(100_000) });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect((await fetch(`${server.origin}/constructor`)).status).toBe(404);
  const broken = await fetch(`${server.origin}/broken`);
  expect([broken.status, await broken.text()]).toEqual([500, '{"status":"failed"}']);
});

test('a connection is closed after its response, also when the client would keep it', async () => {
  const socket = await open();
  socket.write('GET /page HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n');
  expect(await received(socket)).toMatch(/^HTTP\/1.1 200 OK.*Connection: close.*\{"is":"here"\}$/s);
});

test('callers beyond a bound are disconnected, and those within it are served', async () => {
  const idle = await Promise.all(Array.from({ length: 64 }, open));
  const refused = connect(Number(new URL(server.origin).port), '127.0.0.1');
  await once(refused, 'close');
  idle[0]?.write('GET /page HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await received(idle[0] as Socket)).toContain('200 OK');
  for (const socket of idle) socket.destroy();
});

test('a server that closes does not wait for connections without a request', async () => {
  const closing = await openProbeServer(LOOPBACK, {});
  const socket = connect(Number(new URL(closing.origin).port), '127.0.0.1');
  await once(socket, 'connect');
  await closing[Symbol.asyncDispose]();
  await once(socket.resume(), 'close');
});

test('an address that cannot be had is an error that names its variable', async () => {
  const port = Number(new URL(server.origin).port);
  const taken = `Port ${port} of 127.0.0.1 is in use by another program. Stop it, or set HEALTH_PORT to another port.`;
  await expect(openProbeServer({ ...LOOPBACK, port }, {})).rejects.toThrow(taken);
  const other = openProbeServer({ ...LOOPBACK, host: '192.0.2.1' }, {});
  await expect(other).rejects.toThrow('PROBE_HOST: 192.0.2.1 is not an address of this machine.');
});

test('the health of a process: alive while it drains, and ready no longer', async () => {
  const readiness = createReadiness({ mongodb: async () => {} });
  await using health = await openHealth(LOOPBACK, readiness);
  const read = async (path: string) => {
    const response = await fetch(`${health.origin}${path}`);
    return [response.status, await response.json()];
  };
  expect(await read('/readyz')).toEqual([200, { status: 'ready', dependencies: { mongodb: 'ok' } }]);
  readiness.drain();
  expect(await read('/readyz')).toEqual([503, { status: 'draining', dependencies: { mongodb: 'ok' } }]);
  expect(await read('/healthz')).toEqual([200, { status: 'ok' }]);
});

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function received(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  await once(socket, 'close');
  return text;
}
