import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../lib/contract/errors.ts';
import { envelope } from './error-handler.ts';

/**
 * Node's error codes with a message of their own; any other error means that the request is not
 * valid HTTP.
 */
const REASONS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers of the request are too large.',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions of the request are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};

/** `_httpMessage` is the current response; Node's own clientError handler uses it as well. */
type ServerSocket = Socket & { _httpMessage?: ServerResponse | null };

/** clientError handler: responds to malformed HTTP with the error envelope, on the socket. */
export function handleClientError(publicUrl: string) {
  return (error: Error & { code?: string }, socket: ServerSocket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const reason = REASONS[error.code ?? ''] ?? 'The request is not valid HTTP.';
    const pending = socket._httpMessage;
    if (pending?.req.complete && !pending.headersSent) {
      endAfter(pending, socket);
      return;
    }
    const body = JSON.stringify(envelope(new ApiError('invalid_request', reason), publicUrl));
    // Once a response has started, the connection can only be closed.
    if (socket.writable && !pending?.headersSent) socket.write(`${headOf(body)}\r\n\r\n${body}`);
    socket.destroySoon();
  };
}

/**
 * The malformed bytes follow complete requests. Waits for their responses, then closes the
 * connection.
 */
function endAfter(pending: ServerResponse, socket: ServerSocket): void {
  socket.pause();
  pending.once('close', () => {
    // The response to the next pipelined request, if there is one.
    const next = socket._httpMessage;
    if (next?.req.complete) endAfter(next, socket);
    else socket.destroySoon();
  });
}

const headOf = (body: string) =>
  [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    'Cache-Control: no-store',
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ].join('\r\n');

/**
 * Handles `Expect` in place of Node. A request that expects `100 Continue` passes the checks first,
 * so that a rejection saves the upload; {@link sendContinue} then asks for the body. Other
 * expectations are ignored, as RFC 9110, 10.1.1 allows.
 */
export function registerExpectations({ server }: FastifyInstance): void {
  for (const event of ['checkContinue', 'checkExpectation'] as const)
    server.on(event, (request, response) => server.emit('request', request, response));
}

/** Sends `100 Continue` if the client waits for it. Call it before reading a body. */
export function sendContinue({ headers }: FastifyRequest, raw: { writeContinue(): void }): void {
  if (headers.expect?.toLowerCase() === '100-continue') raw.writeContinue();
}

/**
 * Headers of every response (OWASP REST Security Cheat Sheet): no sniffing, framing, loading or
 * scripts. The /docs pages set their own policy. HSTS is left to the proxy that terminates TLS.
 */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
} as const;
