import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.ts';
import { envelope } from './errors.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** What Node says of a message it gave up on; the rest is no HTTP at all. */
const REASONS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers of the request are too large.',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions of the request are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};

/** `_httpMessage` is the answer under way; Node's own handler goes by it too. */
type ServerSocket = Socket & { _httpMessage?: ServerResponse | null };

/** Answers what never became a request, on its socket, in the envelope as well. */
export function answerBadMessage(publicUrl: string) {
  return (error: Error & { code?: string }, socket: ServerSocket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const reason = REASONS[error.code ?? ''] ?? 'The request is not valid HTTP.';
    const owed = socket._httpMessage;
    if (owed?.req.complete && !owed.headersSent) {
      endAfter(owed, socket);
      return;
    }
    const body = JSON.stringify(envelope(new ApiError('invalid_request', reason), publicUrl));
    // An answer that has begun can't be taken back; then only the connection ends.
    if (socket.writable && !owed?.headersSent) socket.write(`${headOf(body)}\r\n\r\n${body}`);
    socket.destroySoon();
  };
}

/** The bad bytes follow complete requests: these are answered, then the connection is closed. */
function endAfter(owed: ServerResponse, socket: ServerSocket): void {
  socket.pause();
  owed.once('close', () => {
    // The next of those that were sent without waiting for an answer, by now.
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
 * Takes over what Node would answer by itself. A request that expects `100 Continue` goes through the checks first, so
 * that a refusal spares the upload; {@link invite} then asks for the body. Other expectations are passed over, as RFC
 * 9110, 10.1.1 allows.
 */
export function registerExpectations({ server }: FastifyInstance): void {
  for (const event of ['checkContinue', 'checkExpectation'] as const)
    server.on(event, (request, response) => server.emit('request', request, response));
}

/** Asks for the body when the client waits to be asked. To be called before a body is read. */
export function invite({ headers }: FastifyRequest, raw: { writeContinue(): void }): void {
  if (headers.expect?.toLowerCase() === '100-continue') raw.writeContinue();
}
