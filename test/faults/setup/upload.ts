import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export type HttpResponse = {
  status: number;
  body: { job_id?: string; result_urls?: string[]; error?: { code: string } };
};

/** A POST over a connection of its own, sent in parts. */
export interface Upload {
  /** Bytes of its head, and of all of it. */
  head: number;
  length: number;
  /** Sends what is missing of the first bytes; resolves once the kernel has it, or the connection is closed. */
  send(bytes: number): Promise<void>;
  /** Status 0 when the connection ends without a response. */
  response: Promise<HttpResponse>;
}

export async function openUpload(
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<Upload> {
  const { hostname, port, pathname } = new URL(url);
  const lines = { ...headers, host: hostname, 'content-length': body.length, connection: 'close' };
  const fields = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${pathname} HTTP/1.1\r\n${fields.join('')}\r\n`;
  const request = Buffer.from(head + body);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.on('error', () => {});
  let sent = 0;
  return {
    head: head.length,
    length: request.length,
    send: (bytes) =>
      new Promise((resolve) => {
        const part = request.subarray(sent, bytes);
        sent = bytes;
        // The response tells what went wrong.
        socket.write(part, () => resolve());
      }),
    response: text(socket).then(parse, () => ({ status: 0, body: {} })),
  };
}

function parse(response: string): HttpResponse {
  const [head = '', body = '{}'] = response.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1] ?? 0), body: JSON.parse(body) };
}
