import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Failpoints } from './failpoints.ts';

/** One received webhook. */
export type Received = { id: string; event: { job_id: string; type: string } };

/** Status of the response to the n-th webhook, counted from 1; 0 closes the connection. */
export type Script = (nth: number) => number;

const always204: Script = () => 204;

/**
 * The clients' webhook receivers, one per path. Each passes the failpoint `receiver response before` of its path before
 * it responds.
 */
export async function startReceiver(failpoints: Failpoints) {
  const received = new Map<string, Received[]>();
  const scripts = new Map<string, Script>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const event = (await json(request)) as Received['event'];
    const all = [...(received.get(path) ?? []), { id: String(request.headers['webhook-id']), event }];
    received.set(path, all);
    await failpoints.pass({ point: 'receiver response before', subject: path });
    const status = (scripts.get(path) ?? always204)(all.length);
    if (status === 0) request.socket.destroy();
    else response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Webhooks received at a path, in order. */
    received: (path: string): readonly Received[] => received.get(path) ?? [],
    script: (path: string, script: Script) => void scripts.set(path, script),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
