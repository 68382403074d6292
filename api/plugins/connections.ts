import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { onSendAsyncHookHandler } from 'fastify';
import { BUDGETS } from '../../contract/limits.ts';
import { clientOf } from '../client-address.ts';

/** A body has as long to arrive, once it is read; 30 MB take 4 Mbit/s. */
const BODY_MS = 60_000;
/** Bytes of a body that Node takes before anybody reads it; in tiny chunks they stand for far more on the wire. */
const READ_AHEAD = 16 * 1024;
/** Far more than an answer takes; the largest is a script of the documents with 1.5 MB. */
const ANSWER_MS = 60_000;
/** Of all clients, each with at most a head and 64 KB of unread body, and of one. */
const MAX_CONNECTIONS = 8000;
const CONNECTIONS_PER_CLIENT = 1000;

/**
 * What Node and Fastify bound by themselves. Heads have 15 s to arrive, looked at every 5 s. A body may wait its turn
 * unread before its own time begins, and has {@link READ_AHEAD} of it taken meanwhile. A connection lives on between
 * requests for Fastify's 72 s, longer than load balancers keep theirs, so that none is closed under a request; it may
 * carry any number of requests, which the rate limits bound.
 */
export const CONNECTION_LIMITS = {
  requestTimeout: BUDGETS.queueMs + BODY_MS + 10_000,
  http: {
    requireHostHeader: false,
    headersTimeout: 15_000,
    connectionsCheckingInterval: 5000,
    highWaterMark: READ_AHEAD,
  },
};

/**
 * Bounds the connections that are open at a time; what comes on top is closed at once.
 * @param perClient whether the peer is the client: behind a proxy all connections are the proxy's
 */
export function limitConnections(server: Server, perClient: boolean): void {
  server.maxConnections = MAX_CONNECTIONS;
  if (!perClient) return;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const client = clientOf(socket.remoteAddress ?? '');
    const count = (open.get(client) ?? 0) + 1;
    open.set(client, count);
    socket.once('close', () => {
      const left = (open.get(client) ?? 1) - 1;
      if (left === 0) open.delete(client);
      else open.set(client, left);
    });
    if (count > CONNECTIONS_PER_CLIENT) socket.destroy();
  });
}

/**
 * For a server that is to close. A connection is closed once it has no request under way. Node does not close connections
 * that never sent one.
 * @returns to be called before the server closes
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

/** onSend hook: an answer that its client does not read in time is given up, and with it the connection. */
export const endSlowReaders: onSendAsyncHookHandler<unknown> = async (_request, { raw }, payload) => {
  const timer = setTimeout(() => raw.destroy(), ANSWER_MS).unref();
  raw.once('close', () => clearTimeout(timer));
  return payload;
};
