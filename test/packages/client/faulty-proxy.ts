import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fetch } from 'undici';

/**
 * What happens to a request: `drop` forwards it and closes the connection in place of the response, `refuse` closes it at
 * once; a status is answered without forwarding.
 */
export type ProxyFault =
  | 'drop'
  | 'refuse'
  | { status: number; headers?: Record<string, string>; body?: string };

export interface FaultyProxy extends AsyncDisposable {
  /** The base URL for the client. */
  baseUrl: string;
  /** For the next requests of this method, one after the other; all that follow are forwarded. */
  fail(method: string, ...faults: ProxyFault[]): void;
  /** The requests that came, forwarded or not. */
  requests: { method: string; path: string; idempotencyKey: string | undefined }[];
}

/** An HTTP proxy in front of the API at `origin`. */
export async function startFaultyProxy(origin: string): Promise<FaultyProxy> {
  const faults: { method: string; fault: ProxyFault }[] = [];
  const requests: FaultyProxy['requests'] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const idempotencyKey = headers['idempotency-key'];
    requests.push({ method, path: url, idempotencyKey: idempotencyKey?.toString() });
    const next = faults.findIndex((planned) => planned.method === method);
    const [planned] = next === -1 ? [] : faults.splice(next, 1);
    handle(origin, request, response, planned?.fault).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    fail: (method, ...planned) => void faults.push(...planned.map((fault) => ({ method, fault }))),
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function handle(
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
  fault: ProxyFault | undefined,
): Promise<void> {
  if (fault === 'refuse') return void response.destroy();
  const body = await buffer(request);
  if (typeof fault === 'object') return void response.writeHead(fault.status, fault.headers).end(fault.body);
  const { method = '', url = '' } = request;
  const { connection: _hop, host: _host, 'content-length': _length, ...headers } = request.headers;
  const answer = await fetch(`${origin}${url}`, {
    method,
    headers: headers as Record<string, string>,
    body: method === 'POST' ? body : null,
  });
  const content = Buffer.from(await answer.arrayBuffer());
  if (fault === 'drop') return void response.destroy();
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(content);
}
