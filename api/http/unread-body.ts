import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyRequest, onSendAsyncHookHandler } from 'fastify';
import type { Limit } from '../../lib/admission/limit.ts';
import { BodyReadError, readBody } from '../../lib/admission/read-body.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { countdown } from '../../lib/process/countdown.ts';
import { clientOf } from './client-address.ts';

/** Up to this size Node discards an unread body by itself and keeps the connection open. */
const SMALL = 64 * 1024;
/**
 * Most bytes that are read of an unwanted body, so that a client that sends all of it first sees
 * the response.
 */
const DRAIN_BYTES = 2 * LIMITS.bodyBytes;
const DRAIN_MS = 10_000;

/** Requests whose bodies are read no further. Node pauses the socket of every unread body. */
const abandoned = new WeakSet<IncomingMessage>();

/** Reads no more of a body, not even to discard it. */
export function abandonBody({ raw }: FastifyRequest): void {
  abandoned.add(raw);
  raw.socket.pause();
}

/**
 * onSend hook: sends the response before the body is read (413, 401, 429), then drains a bounded
 * part of the body and closes. Closing immediately would reset the connection and lose the response
 * for a client that is still sending.
 */
export function closeAfterUnreadBody(unreadBodies: Limit): onSendAsyncHookHandler<unknown> {
  return async (request, reply, payload) => {
    if (!(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload;
    if (!isUnread(request.raw, reply.getHeader('Connection') === 'close' ? 0 : SMALL)) return payload;
    reply.header('Connection', 'close');
    if (abandoned.has(request.raw)) return payload;
    reply.header('Content-Length', Buffer.byteLength(payload));
    return Readable.from(respondThenDrain(payload, request, unreadBodies), { objectMode: false });
  };
}

/** @param kept size up to which Node discards the body, unless the connection closes anyway */
function isUnread(request: IncomingMessage, kept: number): boolean {
  if (request.readableEnded || request.complete) return false;
  if (request.headers['transfer-encoding'] !== undefined) return true;
  return Number(request.headers['content-length'] ?? 0) > kept;
}

/**
 * The client has the whole response after the first chunk; the connection closes when the generator
 * returns.
 */
async function* respondThenDrain(
  payload: string | Buffer,
  request: FastifyRequest,
  unreadBodies: Limit,
): AsyncGenerator<Buffer> {
  yield typeof payload === 'string' ? Buffer.from(payload) : payload;
  await drain(request, { unreadBodies, maxBytes: DRAIN_BYTES, maxMs: DRAIN_MS }).catch(() => {});
}

export interface Drain {
  /** Concurrent drains. Owners: client addresses. */
  unreadBodies: Limit;
  maxBytes: number;
  /** Time limit in milliseconds, including the wait for a permit. */
  maxMs: number;
}

/**
 * Reads and discards a body.
 * @returns whether it ended within `maxBytes`
 * @throws LimitError when no permit was free in time, BodyReadError when the body did not end in
 * time
 */
export async function drain(
  { raw, ip }: FastifyRequest,
  { unreadBodies, maxBytes, maxMs }: Drain,
): Promise<boolean> {
  const controller = new AbortController();
  using _limit = countdown(maxMs, () => controller.abort());
  using _permit = await unreadBodies.acquire(clientOf(ip), 1, controller.signal);
  return await discard(raw, maxBytes, controller.signal);
}

async function discard(body: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<boolean> {
  let remaining = maxBytes;
  const onChunk = (chunk: Buffer) => {
    remaining -= chunk.length;
    if (remaining < 0) throw new BodyReadError('too_long');
  };
  try {
    await readBody(body, onChunk, { signal });
    return true;
  } catch (error) {
    if (error instanceof BodyReadError && error.reason === 'too_long') return false;
    if (error instanceof BodyReadError && error.reason === 'aborted') return true;
    throw error;
  }
}
