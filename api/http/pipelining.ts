import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { WAITING_REQUESTS } from '../../lib/contract/limits.ts';

/** The requests of a connection. */
interface Line {
  busy: boolean;
  waiting: [IncomingMessage, ServerResponse][];
  /**
   * More than {@link WAITING_REQUESTS} arrived in the 64 KB that Node parses at once. The further
   * requests are not handled, and the connection closes after the others.
   */
  full: boolean;
}

/**
 * Makes a server handle the pipelined requests of a connection (RFC 9112, 9.3.2) one after the
 * other, each in a turn of the event loop of its own, so that no connection takes the time of all
 * others. While requests wait, nothing more is read. A request behind a response that closes the
 * connection is not handled. Call it when the handler is registered.
 */
export function handleInTurn(server: Server): void {
  const handlers = server.listeners('request') as RequestListener[];
  const lines = new WeakMap<Socket, Line>();

  function start(line: Line, request: IncomingMessage, response: ServerResponse): void {
    line.busy = true;
    if (line.full && line.waiting.length === 0) response.setHeader('Connection', 'close');
    response.once('close', () => {
      line.busy = line.waiting.length > 0;
      if (line.busy) setImmediate(next, line, request.socket);
    });
    for (const handle of handlers) handle.call(server, request, response);
  }

  function next(line: Line, socket: Socket): void {
    const first = line.waiting.shift();
    if (first === undefined || !socket.writable) return;
    if (!isHeld(line)) socket.resume();
    start(line, ...first);
  }

  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const { socket } = request;
    const line = lines.get(socket) ?? openLine(socket);
    lines.set(socket, line);
    if (!line.busy) return start(line, request, response);
    line.full ||= line.waiting.length === WAITING_REQUESTS;
    if (!line.full) line.waiting.push([request, response]);
    socket.pause();
  });
}

function openLine(socket: Socket): Line {
  const line: Line = { busy: false, waiting: [], full: false };
  // Node resumes a connection whenever a body is read or a response has ended.
  socket.on('resume', () => {
    if (isHeld(line)) socket.pause();
  });
  return line;
}

const isHeld = ({ waiting, full }: Line) => full || waiting.length > 0;
