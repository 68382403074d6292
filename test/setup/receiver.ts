import type { IncomingMessage, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { type Served, serveHttp } from '../egress/servers.ts';
import { eventually } from './eventually.ts';

/** One request to a receiver. */
export interface Received {
  at: number;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** A status, or a function of the request's index (from 0) that returns one or writes the response itself. */
export type Manner = number | ((n: number, response: ServerResponse) => number | undefined);

export interface Receiver extends Served {
  url: string;
  received: Received[];
  /** Changes how it responds from now on. */
  behave(manner: Manner): void;
  /** Waits until it has received this many requests. */
  got(count: number): Promise<Received[]>;
}

/** A receiver of webhooks on loopback that records its requests. */
export async function startReceiver(first: Manner = 204): Promise<Receiver> {
  const received: Received[] = [];
  let manner = first;
  const served = await serveHttp(async (request, response) => {
    const body = await textOf(request);
    const path = request.url ?? '';
    received.push({ at: Date.now(), path, headers: request.headers as Record<string, string>, body });
    const status = typeof manner === 'number' ? manner : manner(received.length - 1, response);
    if (status !== undefined) response.writeHead(status).end();
  });
  return {
    ...served,
    url: `${served.origin}/hook`,
    received,
    behave(next) {
      manner = next;
    },
    got: (count) =>
      eventually(async () => {
        if (received.length < count) throw new Error(`${received.length} of ${count} webhooks were received`);
        return received;
      }),
  };
}

/** Verifies the signature with the published library and returns the event. */
export function verified(received: Received | undefined, secret: string): Record<string, unknown> {
  if (received === undefined) throw new Error('the webhook was not received');
  return new Webhook(secret).verify(received.body, received.headers) as Record<string, unknown>;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
