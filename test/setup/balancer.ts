import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { type Served, serveHttp } from '../lib/egress/servers.ts';

/** A load balancer for HTTP on loopback, with a connection of its own for each request. */
export interface Balancer extends Served {
  /** Replaces the servers among which new requests are distributed in turn. */
  serve(origins: readonly string[]): void;
}

/** A server that refuses the connection has got nothing of the request: the next one is asked. */
export async function startBalancer(): Promise<Balancer> {
  let origins: readonly string[] = [];
  let turn = 0;
  const forward = (request: IncomingMessage, tries: number): Promise<IncomingMessage> => {
    turn += 1;
    const target = new URL(request.url ?? '/', origins[turn % origins.length]);
    const { method, headers } = request;
    const sent = httpRequest(target, { agent: false, method, headers: { ...headers, connection: 'close' } });
    return new Promise<IncomingMessage>((resolve, reject) => {
      sent.on('response', resolve).on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED' && tries > 1) resolve(forward(request, tries - 1));
        else reject(error);
      });
      onceConnected(sent, () => request.pipe(sent));
    });
  };
  const served = await serveHttp(async (request, response) => {
    try {
      const answer = await forward(request, origins.length);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    } catch (error) {
      response.writeHead(502).end(String(error));
    }
  });
  return {
    ...served,
    serve(next) {
      origins = next;
    },
  };
}

/** The body is sent once there is a connection, so that it is still there for the next server otherwise. */
function onceConnected(sent: ClientRequest, send: () => void): void {
  sent.once('socket', (socket) => socket.once('connect', send));
}
