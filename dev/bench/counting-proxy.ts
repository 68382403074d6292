import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

export interface Traffic {
  /** Bytes in both directions. */
  bytes: number;
  /** HTTP/1.1 requests by method; empty for other protocols. */
  requests: Readonly<Record<string, number>>;
}

export interface CountingProxy extends AsyncDisposable {
  /** host:port */
  address: string;
  /** What has passed since the start. */
  traffic(): Traffic;
}

const REQUEST_LINE = /^(GET|PUT|POST|DELETE|HEAD) \S+ HTTP\/1\.1\r\n/;

/** A TCP proxy on loopback that counts what passes through it. @param target host:port */
export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const [host, port] = target.split(':');
  let bytes = 0;
  const requests: Record<string, number> = {};
  const server = createServer((client) => {
    const upstream = connect({ host, port: Number(port) });
    client.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // A client that waits for each response sends the head of a request at the start of a chunk.
      const [, method] = REQUEST_LINE.exec(chunk.toString('latin1', 0, 4096)) ?? [];
      if (method !== undefined) requests[method] = (requests[method] ?? 0) + 1;
    });
    upstream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    client.pipe(upstream).pipe(client);
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    traffic: () => ({ bytes, requests: { ...requests } }),
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}
