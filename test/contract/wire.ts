import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TypedApp } from '../../api/http/operation.ts';
import type { ContractResponse } from './responses.ts';

/** Makes the app listen on a free port. */
export async function listen(app: TypedApp): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as { port: number }).port;
}

/** A raw connection. */
export interface Wire {
  socket: Socket;
  /** Everything received so far. */
  received(): string;
  /**
   * Sends the rest, if any, and waits for the server to close. Returns the last response on the
   * connection.
   */
  response(rest?: string | Buffer): Promise<ContractResponse>;
}

/** Connects and sends the lines, each with a line end. An empty line ends the head. */
export async function dial(port: number, ...lines: string[]): Promise<Wire> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  const closed = new Promise((resolve) => socket.on('close', resolve).on('error', () => {}));
  await once(socket, 'connect');
  if (lines.length > 0) socket.write(lines.map((line) => `${line}\r\n`).join(''));
  return {
    socket,
    received: () => text,
    async response(rest) {
      if (rest !== undefined) socket.write(rest);
      await closed;
      return parse(text);
    },
  };
}

/** Sends one complete message on a new connection. */
export async function exchange(port: number, ...lines: string[]): Promise<ContractResponse> {
  const wire = await dial(port, ...lines);
  return wire.response();
}

function parse(text: string): ContractResponse {
  const start = text.lastIndexOf('HTTP/1.1 ');
  const [head = '', ...rest] = text.slice(start).split('\r\n\r\n');
  const [status = '', ...fields] = head.split('\r\n');
  const headers = fields.map((field) => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
  });
  return {
    statusCode: Number(status.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: rest.join('\r\n\r\n'),
  };
}
