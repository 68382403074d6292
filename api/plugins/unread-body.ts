import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyRequest, onSendAsyncHookHandler } from 'fastify';
import type { Budget } from '../../budget.ts';
import { LIMITS } from '../../contract/limits.ts';
import { BodyCutShort, readBody } from '../../read-body.ts';
import { clientOf } from '../client-address.ts';

/** Left to Node, which reads a small rest off by itself and keeps the connection. */
const SMALL = 64 * 1024;
/** How much of a body nobody wants is still taken off the wire, so that clients that send first see the answer. */
const DRAIN_BYTES = 2 * LIMITS.bodyBytes;
const DRAIN_MS = 10_000;

/**
 * An onSend hook that answers at once although the body was not read (413, 401, 429), then drains a bounded amount and
 * closes. Closing right away would reset the connection under a client that is still sending, and the answer with it.
 */
export function closeAfterUnreadBody(drops: Budget): onSendAsyncHookHandler<unknown> {
  return async (request, reply, payload) => {
    if (typeof payload !== 'string' || !isUnread(request.raw)) return payload;
    reply.header('Connection', 'close');
    if (request.bodyGivenUp) return payload;
    reply.header('Content-Length', Buffer.byteLength(payload));
    return Readable.from(answerThenDrain(payload, request, drops), { objectMode: false });
  };
}

function isUnread(request: IncomingMessage): boolean {
  if (request.readableEnded || request.complete) return false;
  if (request.headers['transfer-encoding'] !== undefined) return true;
  return Number(request.headers['content-length'] ?? 0) > SMALL;
}

/** The answer is whole for the client after the first piece; the connection closes when the second step is over. */
async function* answerThenDrain(
  payload: string,
  request: FastifyRequest,
  drops: Budget,
): AsyncGenerator<Buffer> {
  yield Buffer.from(payload);
  await drain(request, { drops, maxBytes: DRAIN_BYTES, maxMs: DRAIN_MS }).catch(() => {});
}

export interface Drain {
  /** Places of which each drain takes one, in the name of the client's address. */
  drops: Budget;
  maxBytes: number;
  /** For all of it, the wait for a place included. */
  maxMs: number;
}

/**
 * Reads and drops a body.
 * @returns whether it ended within `maxBytes`
 * @throws BudgetError when it found no place in time, BodyCutShort when the body did not end in time
 */
export async function drain(
  { raw, ip }: FastifyRequest,
  { drops, maxBytes, maxMs }: Drain,
): Promise<boolean> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), maxMs);
  try {
    using _place = await drops.acquire(clientOf(ip), 1, controller.signal);
    return await dropAll(raw, maxBytes, controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

async function dropAll(body: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<boolean> {
  let left = maxBytes;
  const drop = (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) throw new BodyCutShort('long');
  };
  try {
    await readBody(body, drop, { signal });
    return true;
  } catch (error) {
    if (error instanceof BodyCutShort && error.reason === 'long') return false;
    if (error instanceof BodyCutShort && error.reason === 'gone') return true;
    throw error;
  }
}
