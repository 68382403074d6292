import { once } from 'node:events';
import { connect, createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** gRPC status PERMISSION_DENIED. */
const DENIED = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '7' };

/**
 * A proxy on loopback that, like Temporal Cloud, refuses the calls of OperatorService and forwards
 * all others.
 */
export async function startCloudFront(target: string): Promise<{ address: string } & AsyncDisposable> {
  const upstream = connect(`http://${target}`);
  const server = createServer();
  const sessions = new Set<{ destroy(): void }>([upstream]);
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    if (headers[':path']?.startsWith('/temporal.api.operatorservice.')) {
      stream.respond(DENIED, { endStream: true });
      return;
    }
    const call = upstream.request(headers);
    stream.pipe(call);
    call.on('response', (head) => {
      const isOnlyTrailers = 'grpc-status' in head;
      stream.respond(head, isOnlyTrailers ? { endStream: true } : { waitForTrailers: true });
      if (!isOnlyTrailers) call.pipe(stream);
    });
    let trailers = {};
    call.on('trailers', (received) => {
      trailers = received;
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
