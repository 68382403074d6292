import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LIMITS } from '../../contract/limits.ts';

const TICK_MS = 100;
/** A body that does not begin so is not read to its end. */
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);

/** What a server may do with a request for a picture that was sent as an `image_url`. */
const ANSWERS: Readonly<Record<string, (answer: ServerResponse) => void>> = {
  'in pieces of one byte': inPieces,
  'with 20 MB that only begin as a picture': (answer) =>
    void answer.end(beginningAsPicture(LIMITS.imageBytes)),
  'with 20 MB that are no picture': (answer) => void answer.end(Buffer.alloc(LIMITS.imageBytes)),
  'with more than 20 MB': (answer) => void answer.end(beginningAsPicture(2 * LIMITS.imageBytes)),
  'a byte at a time, slowly': (answer) => {
    answer.write(JPEG_START);
    const timer = setInterval(() => answer.write('.'), TICK_MS);
    answer.once('close', () => clearInterval(timer));
  },
  'with a head and nothing else': (answer) => answer.flushHeaders(),
};

const beginningAsPicture = (size: number) =>
  Buffer.concat([JPEG_START, Buffer.alloc(size - JPEG_START.length)]);

export interface Source {
  /** What it does, for people. */
  name: string;
  path: string;
}

export const SOURCES: readonly Source[] = Object.keys(ANSWERS).map((name, n) => ({
  name: `image_url answered ${name}`,
  path: `/${n}`,
}));

/** Serves all {@link SOURCES} on loopback. */
export async function startSources(): Promise<AsyncDisposable & { origin: string }> {
  const answers = Object.values(ANSWERS);
  const server = createServer((request, answer) => {
    answer.setHeader('content-type', 'image/jpeg');
    answers[Number(request.url?.slice(1))]?.(answer);
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

/** As fast as they are taken, each in a packet and a chunk of its own. */
function inPieces(answer: ServerResponse): void {
  answer.socket?.setNoDelay();
  answer.write(JPEG_START);
  const next = () => {
    if (answer.destroyed) return;
    for (let pieces = 0; pieces < 100; pieces++) answer.write('.');
    setImmediate(next);
  };
  next();
}
