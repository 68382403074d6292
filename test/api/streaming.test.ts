import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { endSlowReaders } from '../../api/http/connections.ts';

/** A route of each kind, whose responses say nothing after their first bytes. */
async function start() {
  const app = fastify();
  app.addHook('onSend', endSlowReaders(20));
  const opened: Readable[] = [];
  const silent = () => {
    const stream = new Readable({ read() {} });
    stream.push('first');
    opened.push(stream);
    return stream;
  };
  app.get('/plain', async () => silent());
  app.get('/stream', { config: { streamMs: 60_000 } }, async () => silent());
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());

  function open(path: string) {
    const { port } = app.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: api\r\n\r\n`);
    return { socket, received: () => text };
  }
  return { open, opened };
}

test('a response that streams may be silent for longer than others, and ends with its client', async () => {
  const { open, opened } = await start();
  const stream = open('/stream');
  await expect.poll(stream.received).toContain('first');
  const plain = open('/plain');
  await expect.poll(() => plain.socket.destroyed).toBe(true);
  opened[0]?.push('second');
  await expect.poll(stream.received).toContain('second');
  stream.socket.destroy();
  await expect.poll(() => opened[0]?.destroyed).toBe(true);
});
