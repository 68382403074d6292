import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { allowForStandstill } from '../../api/http/standstill.ts';

const LIMIT_MS = 300;
const REQUEST = 'GET / HTTP/1.1\r\nHost: api\r\n\r\n';

/** Blocks the event loop for longer than every limit of the server. */
function standStill(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10 * LIMIT_MS);
}

/** A connection that the server has accepted. */
async function open() {
  const server = createServer(
    {
      headersTimeout: LIMIT_MS,
      requestTimeout: LIMIT_MS,
      keepAliveTimeout: LIMIT_MS,
      connectionsCheckingInterval: 50,
    },
    (_, response) => response.end('ok\n'),
  );
  allowForStandstill(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await Promise.all([once(server, 'connection'), once(socket, 'connect')]);
  return { socket, responses: () => [...text.matchAll(/^HTTP\/1.1 (\d+)/gm)].map(([, status]) => status) };
}

test('a request that arrived while the process stood still is answered', async () => {
  const { socket, responses } = await open();
  socket.write(REQUEST);
  standStill();
  await expect.poll(responses).toEqual(['200']);
});

test('so is the next one of a connection that was idle before', async () => {
  const { socket, responses } = await open();
  socket.write(REQUEST);
  await expect.poll(responses).toEqual(['200']);
  socket.write(REQUEST);
  standStill();
  await expect.poll(responses).toEqual(['200', '200']);
});

test('a head that does not arrive is refused all the same, and an idle connection is closed', async () => {
  const { socket, responses } = await open();
  const idle = await open();
  idle.socket.write(REQUEST);
  socket.write(REQUEST.slice(0, 20));
  standStill();
  await Promise.all([once(socket, 'close'), once(idle.socket, 'close')]);
  expect([responses(), idle.responses()]).toEqual([['408'], ['200']]);
});
