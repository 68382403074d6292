import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createEgress, type ExchangeRequest } from '../../../lib/egress/egress.ts';
import { withDeadline } from '../../../lib/process/process.ts';
import { type Served, serveHttp } from './servers.ts';

const MB = 1024 * 1024;
const TIMEOUT_MS = 200;

/** Blocks the event loop until the time limit of every exchange that has begun is over. */
function standStill(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TIMEOUT_MS + 300);
}

/** An upstream that the process stands still for, at the worst moment. */
const upstreamThat = (act: (response: ServerResponse) => void) =>
  serveHttp((_, response) => {
    act(response);
    standStill();
  });

function post({ origin }: Served): ExchangeRequest {
  const limits = { timeoutMs: TIMEOUT_MS, maxResponseBytes: 20 * MB };
  return { method: 'POST', url: origin, body: '{}', ...limits };
}

test.each([
  ['small', 1],
  ['larger than what a socket holds', 16 * MB],
])(
  'a response that has arrived while the process stood still past the limit is read: %s',
  async (_, length) => {
    await using server = await upstreamThat((response) => response.end(Buffer.alloc(length, 'x')));
    await using egress = createEgress({ allowOrigins: [server.origin] });
    expect((await egress.exchange(post(server))).body.length).toBe(length);
  },
);

test('a body of which the head had arrived before is read too', async () => {
  await using server = await serveHttp((_, response) => {
    response.writeHead(200, { 'content-length': '2' }).write('a', () =>
      setImmediate(() => {
        response.end('b');
        standStill();
      }),
    );
  });
  await using egress = createEgress({ allowOrigins: [server.origin] });
  expect((await egress.exchange(post(server))).body.toString()).toBe('ab');
});

test('a download that fell behind its pace while the process stood still is read to its end', async () => {
  let finish = () => {};
  await using server = await serveHttp((_, response) => {
    response.writeHead(200, { 'content-length': String(4 * MB) }).write('x');
    finish = () => void response.end(Buffer.alloc(4 * MB - 1));
  });
  await using egress = createEgress({ allowOrigins: [server.origin] });
  const received = ({ length }: Buffer) => {
    if (length > 1) return;
    finish();
    standStill();
  };
  const limits = { timeoutMs: 60_000, slackMs: TIMEOUT_MS, maxBytes: 20 * MB, redirects: 0, received };
  expect((await egress.fetch(server.origin, limits)).body.length).toBe(4 * MB);
});

test('other work whose answer has arrived meanwhile succeeds too', async () => {
  await using server = await upstreamThat((response) => response.end('answer'));
  const answer = fetch(server.origin).then((response) => response.text());
  expect(await withDeadline(TIMEOUT_MS, answer)).toBe('answer');
});

test('the limit is extended once: a server that goes on byte by byte meets it, however often the process stands still', async () => {
  await using server = await upstreamThat((response) => {
    response.writeHead(200, { 'content-length': String(MB) });
    const drip = setInterval(() => {
      response.write('x');
      standStill();
    }, 20);
    response.on('close', () => clearInterval(drip));
  });
  await using egress = createEgress({ allowOrigins: [server.origin] });
  await expect(egress.exchange(post(server))).rejects.toMatchObject({ kind: 'timeout', sent: true });
});
