import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { handleInTurn } from '../../api/http/pipelining.ts';

let server: Server;
let socket: Socket;
let received: string;
let handled: string[];
/** What the server does with a request; by default it answers with the path. */
let handle: (request: IncomingMessage, response: ServerResponse) => unknown;

beforeEach(async () => {
  [received, handled] = ['', []];
  handle = ({ url }, response) => response.end(url);
  server = createServer((request, response) => {
    handled.push(request.url ?? '');
    handle(request, response);
  });
  handleInTurn(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
  socket
    .on('error', () => {})
    .on('data', (chunk) => {
      received += chunk;
    });
  await once(socket, 'connect');
});
afterEach(async () => {
  socket.destroy();
  await new Promise((closed) => server.close(closed));
});

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const paths = (count: number) => Array.from({ length: count }, (_, n) => `/${n}`);
const pipelined = (count: number) => paths(count).map(get).join('');
const answered = () => received.match(/HTTP\/1\.1 200/g)?.length ?? 0;

test('the next request of a connection is handled once the response before it has ended', async () => {
  const open: ServerResponse[] = [];
  handle = (_request, response) => open.push(response);
  socket.write(pipelined(3));
  for (let n = 0; n < 3; n++) {
    await expect.poll(() => open.length).toBe(n + 1);
    await new Promise((later) => setImmediate(later));
    expect(handled).toEqual(paths(n + 1));
    open[n]?.end();
  }
  await expect.poll(answered).toBe(3);
});

test('requests of another connection are handled between those of a pipeline', async () => {
  const other = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
  await once(other, 'connect');
  handle = (_request, response) => {
    if (handled.length === 1) other.write(get('/other'));
    // Long enough for the other request to arrive.
    setTimeout(() => response.end(), 20);
  };
  socket.write(pipelined(10));
  await expect.poll(answered).toBe(10);
  expect(handled.indexOf('/other')).toBeLessThan(10);
  other.destroy();
});

test('a connection with more waiting requests closes after the first seventeen', async () => {
  const closed = once(socket, 'close');
  socket.write(pipelined(5000));
  await closed;
  expect(handled).toEqual(paths(17));
  expect(answered()).toBe(17);
  expect(received.match(/Connection: close/g)).toHaveLength(1);
});

test('requests behind a response that closes the connection are not handled', async () => {
  handle = (_request, response) => response.setHeader('Connection', 'close').end();
  const closed = once(socket, 'close');
  socket.write(pipelined(5));
  await closed;
  await new Promise((later) => setImmediate(later));
  expect(handled).toEqual(['/0']);
});

test('a connection can be used for any number of requests, and bodies are read in their turn', async () => {
  const bodies: number[] = [];
  handle = async (request, response) => {
    bodies.push((await text(request)).length);
    response.end();
  };
  const post = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n${'a'.repeat(200_000)}`;
  for (let n = 1; n <= 10; n++) {
    socket.write(`${post}${get('/')}${get('/')}${post}`);
    await expect.poll(answered).toBe(4 * n);
  }
  expect(bodies.filter((length) => length === 200_000)).toHaveLength(20);
});
