import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import type { Issued } from './authority.ts';

export interface Front extends AsyncDisposable {
  address: string;
}

/** Ends TLS on loopback and passes what is inside on to a server that speaks plain gRPC. */
export async function startTlsFront(target: string, options: TlsOptions): Promise<Front> {
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

/** Refuses every call as unauthenticated (gRPC's code 16) and keeps the `authorization` that came with it. */
export async function startKeyKeeper({
  cert,
  key,
}: Issued): Promise<Front & { seen: (string | undefined)[] }> {
  const seen: (string | undefined)[] = [];
  const server = createSecureServer({ cert: readFileSync(cert), key: readFileSync(key) });
  server.on('stream', (stream, headers) => {
    seen.push(headers.authorization);
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '16' },
      { endStream: true },
    );
  });
  return { ...(await listen(server)), seen };
}

async function listen(server: Server): Promise<Front> {
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
