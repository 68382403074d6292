import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { CONNECTION_LIMITS, closeWithoutRequests, limitConnections } from '../../api/plugins/connections.ts';

const server: Server = createServer();
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((closed) => server.close(closed));
});

test('one client has a thousand connections; those on top are closed, and room comes back', async () => {
  limitConnections(server, true);
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

test('the limits reach the server that Fastify makes', async () => {
  const app = fastify(CONNECTION_LIMITS);
  expect(app.server).toMatchObject({
    headersTimeout: 15_000,
    requestTimeout: 100_000,
    keepAliveTimeout: 72_000,
  });
  await app.close();
});

test('a server that closes waits for requests under way, and for no connection without one', async () => {
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
  const begun = dial('GET / HTTP/1.1\r\n');
  const asking = dial('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => held.length).toBe(1);
  const count = () => new Promise((resolve) => busy.getConnections((_error, open) => resolve(open)));
  await expect.poll(count).toBe(3);
  const gone = Promise.all([once(silent, 'close'), once(begun, 'close')]);
  const closed = once(busy, 'close');
  closing();
  busy.close();
  await gone;
  let answer = '';
  asking.on('data', (text) => {
    answer += text;
  });
  held[0]?.end('done');
  await closed;
  expect(answer).toContain('done');
});
