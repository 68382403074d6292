import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { PACE } from '../../../lib/contract/limits.ts';
import { createEgress, type FetchLimits } from '../../../lib/egress/egress.ts';
import { type Served, serveHttp, serveTcp } from './servers.ts';

const MB = 1024 * 1024;
const LIMITS: FetchLimits = { timeoutMs: 20_000, maxBytes: 20 * MB, redirects: 0, mediaType: 'image/' };
const egressTo = ({ origin }: Served) => createEgress({ allowOrigins: [origin] });
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n';

/** Writes the same chunk repeatedly, as fast as the socket accepts it. */
function flood(socket: Socket, chunk: Buffer): void {
  const write = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', write);
  write();
}

describe('a hostile server', () => {
  test('that sends chunks of one byte is aborted after a bounded number of them', async () => {
    await using server = await serveTcp((socket) => {
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
      flood(socket, Buffer.from('1\r\nx\r\n'.repeat(1000)));
    });
    await using egress = egressTo(server);
    let received = 0;
    const limits = {
      ...LIMITS,
      received({ length }: Buffer) {
        received += length;
      },
    };
    await expect(egress.fetch(server.origin, limits)).rejects.toMatchObject({ kind: 'protocol' });
    expect(received).toBeLessThanOrEqual(PACE.freePieces + 1);
    await expect.poll(server.open).toBe(0);
  });

  test('that sends endless chunk extensions is aborted after a bounded number of bytes', async () => {
    let sent = 0;
    await using server = await serveTcp((socket) => {
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n1;a=`);
      socket.on('close', () => {
        sent = socket.bytesWritten;
      });
      flood(socket, Buffer.alloc(64 * 1024, 'x'));
    });
    await using egress = egressTo(server);
    await expect(egress.fetch(server.origin, LIMITS)).rejects.toMatchObject({ kind: 'too_large' });
    await expect.poll(() => sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(80 * MB);
  });
});

describe('admit', () => {
  const image: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': 3 }).end('abc');
  };

  test('is called with the declared length, or the limit', async () => {
    const admitted: number[] = [];
    const limits = {
      ...LIMITS,
      admit: async (bytes: number) => {
        admitted.push(bytes);
      },
    };
    await using declared = await serveHttp(image);
    await using chunked = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      response.write('a');
      response.end('bc');
    });
    for (const server of [declared, chunked]) {
      await using egress = egressTo(server);
      expect((await egress.fetch(server.origin, limits)).body.toString()).toBe('abc');
    }
    expect(admitted).toEqual([3, 20 * MB]);
  });

  test('may take longer than the time limit of the fetch, and its error is thrown unchanged', async () => {
    await using server = await serveHttp(image);
    await using egress = egressTo(server);
    const slowly = { ...LIMITS, timeoutMs: 300, admit: () => new Promise<void>((r) => setTimeout(r, 600)) };
    expect((await egress.fetch(server.origin, slowly)).status).toBe(200);
    const refusal = new Error('no');
    const refused = egress.fetch(server.origin, { ...LIMITS, admit: () => Promise.reject(refusal) });
    await expect(refused).rejects.toBe(refusal);
    await expect.poll(server.open).toBe(0);
  });

  test('stops the clock only while it waits', async () => {
    await using server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': 3 }).write('a');
    });
    await using egress = egressTo(server);
    const limits = { ...LIMITS, timeoutMs: 200, admit: async () => {} };
    await expect(egress.fetch(server.origin, limits)).rejects.toMatchObject({ kind: 'timeout' });
  });
});
