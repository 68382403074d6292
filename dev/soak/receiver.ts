import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface SoakReceiver extends AsyncDisposable {
  origin: string;
  url: string;
  /** Ids of the jobs it was told of with success. */
  notified: ReadonlySet<string>;
}

/**
 * @param failsEvery about every how many jobs the receiver of webhooks answers the first attempt
 * with 503
 */
export async function startSoakReceiver(failsEvery = Number.POSITIVE_INFINITY): Promise<SoakReceiver> {
  const notified = new Set<string>();
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    const { job_id } = (await json(request)) as { job_id: string };
    const fails = !seen.has(job_id) && seen.size % failsEvery === failsEvery - 1;
    seen.add(job_id);
    if (!fails) notified.add(job_id);
    response.writeHead(fails ? 503 : 204).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: `${origin}/hook`,
    notified,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
