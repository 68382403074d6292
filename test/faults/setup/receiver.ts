import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Failpoints } from './failpoints.ts';

/** One webhook that arrived. */
export type Received = { id: string; event: { job_id: string; type: string } };

/** What a receiver answers to its n-th webhook, counted from 1; 0 breaks the connection off. */
export type Script = (nth: number) => number;

const always204: Script = () => 204;

/**
 * The clients' webhook receivers, one a path. Each stands at the step `receiver answer before` of its path before it
 * answers.
 */
export async function startReceiver(failpoints: Failpoints) {
  const received = new Map<string, Received[]>();
  const scripts = new Map<string, Script>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const event = (await json(request)) as Received['event'];
    const all = [...(received.get(path) ?? []), { id: String(request.headers['webhook-id']), event }];
    received.set(path, all);
    await failpoints.pass({ point: 'receiver answer before', subject: path });
    const status = (scripts.get(path) ?? always204)(all.length);
    if (status === 0) request.socket.destroy();
    else response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What arrived at a path, in order. */
    received: (path: string): readonly Received[] => received.get(path) ?? [],
    answers: (path: string, script: Script) => void scripts.set(path, script),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
