import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { onSendAsyncHookHandler } from 'fastify';
import { LIMITS } from '../../contract/limits.ts';

/** Left to Node, which reads a small rest off by itself and keeps the connection. */
const SMALL = 64 * 1024;
/** How much of a body nobody wants is still taken off the wire, so that clients that send first see the answer. */
const DRAIN_BYTES = 2 * LIMITS.bodyBytes;
const DRAIN_MS = 10_000;

/**
 * Answers at once although the body was not read (413, 401, 429), then drains a bounded amount and closes.
 * Closing right away would reset the connection under a client that is still sending, and the answer with it.
 */
export const closeAfterUnreadBody: onSendAsyncHookHandler<unknown> = async (request, reply, payload) => {
  if (typeof payload !== 'string' || !isUnread(request.raw)) return payload;
  reply.header('Connection', 'close');
  reply.header('Content-Length', Buffer.byteLength(payload));
  return Readable.from(answerThenDrain(payload, request.raw), { objectMode: false });
};

function isUnread(request: IncomingMessage): boolean {
  if (request.readableEnded || request.complete) return false;
  if (request.headers['transfer-encoding'] !== undefined) return true;
  return Number(request.headers['content-length'] ?? 0) > SMALL;
}

/** The answer is whole for the client after the first piece; the connection closes when the second step is over. */
async function* answerThenDrain(payload: string, request: IncomingMessage): AsyncGenerator<Buffer> {
  yield Buffer.from(payload);
  await drain(request, DRAIN_BYTES, DRAIN_MS);
}

/** Reads and drops. @returns true when the body ended within the bounds */
export function drain(request: IncomingMessage, maxBytes: number, maxMs: number): Promise<boolean> {
  if (request.readableEnded || request.destroyed) return Promise.resolve(true);
  return new Promise((resolve) => {
    let left = maxBytes;
    const timer = setTimeout(() => settle(false), maxMs);
    const onData = (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) settle(false);
    };
    const onEnd = () => settle(true);
    function settle(ended: boolean): void {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('error', onEnd).off('close', onEnd);
      request.pause();
      resolve(ended);
    }
    request.on('data', onData).on('end', onEnd).on('error', onEnd).on('close', onEnd);
    request.resume();
  });
}
