import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { type Served, serveHttp } from '../lib/egress/servers.ts';

/** One request to a receiver. */
export interface Received {
  at: number;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * How a receiver responds: a status, or a function of the request's index at its path (from 0) that returns one or
 * writes the response itself. Status 0 closes the connection.
 */
export type Manner = number | ((n: number, response: ServerResponse) => number | undefined);

interface ReceiverOptions {
  manner?: Manner;
  /** Called with each request before it is responded to. */
  arrived?: (request: Received) => Promise<void>;
}

export interface Receiver extends Served {
  url: string;
  received: Received[];
  /** Changes how it responds from now on, at all paths or at one. */
  behave(manner: Manner, path?: string): void;
  /** The requests at a path. */
  receivedAt(path: string): Received[];
  /** The requests about a job. */
  receivedFor(jobId: string): Received[];
  /** Waits until it has received this many requests. */
  got(count: number): Promise<Received[]>;
}

/** A receiver of webhooks on loopback that records its requests. */
export async function startReceiver({ manner = 204, arrived }: ReceiverOptions = {}): Promise<Receiver> {
  const received: Received[] = [];
  const manners = new Map<string, Manner>();
  const arrivals = new EventEmitter();
  let usual = manner;
  const receivedAt = (at: string) => received.filter(({ path }) => path === at);
  const served = await serveHttp(async (request, response) => {
    const path = request.url ?? '';
    const headers = request.headers as Record<string, string>;
    const made = { at: Date.now(), path, headers, body: await text(request) };
    const index = receivedAt(path).length;
    received.push(made);
    arrivals.emit('request');
    await arrived?.(made);
    respond(response, index, manners.get(path) ?? usual);
  });
  return {
    ...served,
    url: `${served.origin}/hook`,
    received,
    behave(next, path) {
      if (path === undefined) usual = next;
      else manners.set(path, next);
    },
    receivedAt,
    receivedFor: (jobId) => received.filter(({ body }) => body.includes(jobId)),
    async got(count) {
      const signal = AbortSignal.timeout(60_000);
      while (received.length < count)
        await once(arrivals, 'request', { signal }).catch((cause: unknown) => {
          throw new Error(`${received.length} of ${count} webhooks were received`, { cause });
        });
      return received;
    },
  };
}

function respond(response: ServerResponse, index: number, manner: Manner): void {
  const status = typeof manner === 'number' ? manner : manner(index, response);
  if (status === 0) response.destroy();
  else if (status !== undefined) response.writeHead(status).end();
}

/** Verifies the signature with the published library and returns the event. */
export function verified(received: Received | undefined, secret: string): Record<string, unknown> {
  if (received === undefined) throw new Error('the webhook was not received');
  return new Webhook(secret).verify(received.body, received.headers) as Record<string, unknown>;
}
