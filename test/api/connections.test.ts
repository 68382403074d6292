import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { CONNECTION_LIMITS, limitConnections } from '../../api/plugins/connections.ts';

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
