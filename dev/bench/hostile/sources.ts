import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { type HostileRequest, jobRequest } from './attack.ts';

const TICK_MS = 100;
/** The API stops reading a body that does not start like an image. */
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);

/** Hostile responses to the fetch of an `image_url`. */
const RESPONSES: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'in pieces of one byte': inPieces,
  'with 20 MB that only begin as an image': (response) =>
    void response.end(beginningAsImage(LIMITS.imageBytes)),
  'with 20 MB that are no image': (response) => void response.end(Buffer.alloc(LIMITS.imageBytes)),
  'with more than 20 MB': (response) => void response.end(beginningAsImage(2 * LIMITS.imageBytes)),
  'a byte at a time, slowly': (response) => {
    response.write(JPEG_START);
    const timer = setInterval(() => response.write('.'), TICK_MS);
    response.once('close', () => clearInterval(timer));
  },
  'with a head and nothing else': (response) => response.flushHeaders(),
};

const beginningAsImage = (size: number) =>
  Buffer.concat([JPEG_START, Buffer.alloc(size - JPEG_START.length)]);

/**
 * Jobs whose `image_url` is answered in each of these ways.
 * @param origin of {@link startSources}
 */
export const hostileSources = (origin: string, tool: string): HostileRequest[] =>
  Object.keys(RESPONSES).map((name, n) =>
    jobRequest(`image_url answered ${name}`, () =>
      Buffer.from(JSON.stringify({ tool, image_url: `${origin}/${n}` })),
    ),
  );

/** Serves them on loopback. */
export async function startSources(): Promise<AsyncDisposable & { origin: string }> {
  const responses = Object.values(RESPONSES);
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'image/jpeg');
    responses[Number(request.url?.slice(1))]?.(response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** One byte per packet and chunk, as fast as the client reads. */
function inPieces(response: ServerResponse): void {
  response.socket?.setNoDelay();
  response.write(JPEG_START);
  const next = () => {
    if (response.destroyed) return;
    for (let pieces = 0; pieces < 100; pieces++) response.write('.');
    setImmediate(next);
  };
  next();
}
