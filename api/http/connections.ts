import type { Server } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { onSendAsyncHookHandler } from 'fastify';
import type { Limit } from '../../lib/admission/limit.ts';
import { IN_FLIGHT, PACE } from '../../lib/contract/limits.ts';
import { countdown } from '../../lib/process/countdown.ts';
import { MAX_CONNECTIONS } from '../admission/limits.ts';
import { clientOf } from './client-address.ts';
import './fastify-types.ts';

/**
 * Bytes of a body that Node buffers before it is read. In tiny chunks they are many more bytes on
 * the wire.
 */
const READ_AHEAD = 16 * 1024;
/**
 * Time for a client to read a response. The largest is a script of the docs: 1.5 MB, or 0.4 MB
 * compressed.
 */
const RESPONSE_MS = 60_000;

/**
 * Limits that Node enforces. A request head has 15 s to arrive, checked every 5 s. A body may wait
 * unread for its permit before its own time starts, with {@link READ_AHEAD} bytes buffered. The
 * keep-alive timeout is Fastify's 72 s, longer than the timeout of common load balancers, so that
 * no connection is closed under a request. Requests per connection are unlimited, since the rate
 * limits bound them.
 */
export const CONNECTION_LIMITS = {
  requestTimeout: IN_FLIGHT.queueMs + PACE.bodyMs + 10_000,
  http: {
    requireHostHeader: false,
    headersTimeout: 15_000,
    connectionsCheckingInterval: 5000,
    highWaterMark: READ_AHEAD,
  },
};

/**
 * Limits the number of open connections; further ones are closed at once.
 * @param perClient limits them per client as well. Undefined behind a proxy, whose address is that
 * of every connection.
 */
export function limitConnections(server: Server, perClient: Pick<Limit, 'acquireNow'> | undefined): void {
  server.maxConnections = MAX_CONNECTIONS;
  if (perClient === undefined) return;
  server.on('connection', (socket: Socket) => {
    const permit = perClient.acquireNow(clientOf(socket.remoteAddress ?? ''), 1);
    if (permit === undefined) socket.destroy();
    else socket.once('close', permit.release);
  });
}

/**
 * Closes connections for shutdown as soon as they have no request in flight. Node alone would not
 * close connections that have never sent a request.
 * @returns a function to call before the server closes
 */
export function closeWithoutRequests(server: Server): () => void {
  const open = new Map<Socket, number>();
  const count = (socket: Socket, change: number) => {
    if (open.has(socket)) open.set(socket, (open.get(socket) ?? 0) + change);
  };
  server.on('connection', (socket: Socket) => {
    open.set(socket, 0);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    count(socket, 1);
    response.once('close', () => count(socket, -1));
  });
  return () => {
    server.keepAliveTimeout = 1;
    for (const [socket, requests] of open) if (requests === 0) socket.destroySoon();
  };
}

/**
 * onSend hook: closes the connection of a client that does not read its response in time, or reads
 * nothing for `stallMs` to twice `stallMs`. A stream may be silent for longer.
 */
export function endSlowReaders(stallMs: number = PACE.slackMs): onSendAsyncHookHandler<unknown> {
  return async ({ socket, routeOptions }, { raw }, payload) => {
    const { streamMs = 0 } = payload instanceof Readable ? routeOptions.config : {};
    const limit = countdown(streamMs + RESPONSE_MS, () => raw.destroy(), { unref: true });
    raw.once('close', limit[Symbol.dispose]);
    if (socket instanceof Socket && streamMs === 0) {
      // Node closes the connection by itself, and counts no time in which the client reads.
      socket.setTimeout(stallMs);
      // Ahead of Node's own listener, which starts the keep-alive timeout.
      raw.prependOnceListener('finish', () => socket.setTimeout(0));
    }
    return payload;
  };
}
