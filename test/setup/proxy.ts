import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpProxy extends AsyncDisposable {
  port: number;
  /** Holds back responses of the server until `release`. */
  hold(): void;
  /** Forwards the responses held back, and all that follow. */
  release(): void;
}

/** A loopback TCP proxy that can hold back the responses of a server. */
export async function startProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const pairs = new Map<Socket, Socket>();
  let held = false;
  const server = createServer((client) => {
    const upstream = connect(target);
    pairs.set(upstream, client);
    client.pipe(upstream);
    if (!held) upstream.pipe(client);
    const end = () => {
      client.destroy();
      upstream.destroy();
      pairs.delete(upstream);
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    hold() {
      held = true;
      for (const [upstream, client] of pairs) upstream.unpipe(client);
    },
    release() {
      held = false;
      for (const [upstream, client] of pairs) upstream.pipe(client);
    },
    async [Symbol.asyncDispose]() {
      for (const [upstream, client] of pairs) {
        client.destroy();
        upstream.destroy();
      }
      await new Promise((closed) => server.close(closed));
    },
  };
}
