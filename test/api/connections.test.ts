import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fastify from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { createApiLimits } from '../../api/admission/limits.ts';
import {
  CONNECTION_LIMITS,
  closeWithoutRequests,
  endSlowReaders,
  limitConnections,
} from '../../api/http/connections.ts';

const server: Server = createServer();
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((closed) => server.close(closed));
});

test('one client can have a thousand open connections; further ones are closed', async () => {
  limitConnections(server, createApiLimits({ bytesInFlight: 1, unpaidBytesPerMinute: 1 }).connections);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const dial = async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  const first = await dial();
  for (let n = 1; n < 1000; n++) await dial();
  const extra = (await dial()).resume();
  await once(extra, 'close');
  const open = () =>
    new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
  await expect.poll(open).toBe(1000);
  first.destroy();
  await expect.poll(open).toBe(999);
  await dial();
  await expect.poll(open).toBe(1000);
});

test('the limits are set on the server that Fastify creates', async () => {
  const app = fastify(CONNECTION_LIMITS);
  expect(app.server).toMatchObject({
    headersTimeout: 15_000,
    requestTimeout: 100_000,
    keepAliveTimeout: 72_000,
  });
  await app.close();
});

test('shutdown waits for requests in flight, but not for idle connections', async () => {
  const held: ServerResponse[] = [];
  const busy = createServer((_request, response) => void held.push(response));
  const closing = closeWithoutRequests(busy);
  await new Promise<void>((listening) => busy.listen(0, '127.0.0.1', listening));
  const dial = (text: string) => {
    const socket = connect((busy.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    return socket
      .resume()
      .setEncoding('utf8')
      .on('connect', () => socket.write(text));
  };
  const silent = dial('');
  const incomplete = dial('GET / HTTP/1.1\r\n');
  const active = dial('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => held.length).toBe(1);
  const count = () => new Promise((resolve) => busy.getConnections((_error, open) => resolve(open)));
  await expect.poll(count).toBe(3);
  const idleClosed = Promise.all([once(silent, 'close'), once(incomplete, 'close')]);
  const closed = once(busy, 'close');
  closing();
  busy.close();
  await idleClosed;
  let received = '';
  active.on('data', (text) => {
    received += text;
  });
  held[0]?.end('done');
  await closed;
  expect(received).toContain('done');
});

describe('a client', () => {
  const BYTES = 50_000_000;
  /** Requests more than the buffers of a connection hold, and does not read it yet. */
  async function request(stallMs: number) {
    const app = fastify();
    app.addHook('onSend', endSlowReaders(stallMs));
    app.get('/', async () => Buffer.alloc(BYTES));
    await app.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    socket.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [served] = (await once(app.server, 'connection')) as [Socket];
    return { socket, served, [Symbol.asyncDispose]: () => app.close() };
  }

  test('that reads nothing of its response is disconnected', async () => {
    await using response = await request(50);
    await once(response.served, 'close');
    expect(response.served.bytesWritten).toBeGreaterThan(0);
  });

  test('that reads its response keeps the connection', async () => {
    await using response = await request(30_000);
    let received = 0;
    response.socket.resume().on('data', ({ length }) => {
      received += length;
    });
    await expect.poll(() => received).toBeGreaterThan(BYTES);
    await expect.poll(() => response.served.timeout).toBeGreaterThanOrEqual(72_000);
    expect(response.served.destroyed).toBe(false);
    response.socket.destroy();
  });
});
