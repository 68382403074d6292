import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import type { Issued } from './authority.ts';

export interface TlsServer extends AsyncDisposable {
  address: string;
}

/** A TLS-terminating proxy on loopback for a plain gRPC server. */
export async function startTlsProxy(target: string, options: TlsOptions): Promise<TlsServer> {
  const [host, port] = target.split(':');
  const server = createServer({ ...options, ALPNProtocols: ['h2'] }, (secure) => {
    const plain = connect(Number(port), host);
    for (const socket of [secure, plain]) socket.on('error', () => {});
    secure.pipe(plain).pipe(secure);
    secure.once('close', () => plain.destroy());
    plain.once('close', () => secure.destroy());
  });
  return listen(server);
}

/**
 * Rejects every call as UNAUTHENTICATED (gRPC status 16) and records its `authorization` header.
 */
export async function startKeyRecorder({
  cert,
  key,
}: Issued): Promise<TlsServer & { authorizations: (string | undefined)[] }> {
  const authorizations: (string | undefined)[] = [];
  const server = createSecureServer({ cert: readFileSync(cert), key: readFileSync(key) });
  server.on('stream', (stream, headers) => {
    authorizations.push(headers.authorization);
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '16' },
      { endStream: true },
    );
  });
  return { ...(await listen(server)), authorizations };
}

async function listen(server: Server): Promise<TlsServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
