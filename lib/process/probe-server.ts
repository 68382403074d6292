import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenProblem } from './listen-problem.ts';
import { ALIVE, type Readiness, statusOf } from './readiness.ts';

export interface ProbeAnswer {
  status: number;
  type: string;
  body: string;
}

/** Where probes are served. `variable` sets the port. */
export interface ProbeAddress {
  host: string;
  /** 0 picks a free port. */
  port: number;
  variable: 'HEALTH_PORT' | 'METRICS_PORT';
}

/** Produces the answer to GET of one path. */
export type ProbePage = () => Promise<ProbeAnswer>;

export interface ProbeServer extends AsyncDisposable {
  /** Without a path. */
  readonly origin: string;
}

const MAX_CONNECTIONS = 64;
const REQUEST_MS = 5000;

export const jsonAnswer = (status: number, value: object): ProbeAnswer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
});

/**
 * Serves a few pages to probes and scrapers. It closes every connection after its response, or soon
 * if no request arrives, so that no client keeps a connection.
 * @throws Error that says why nothing can listen there
 */
export async function openProbeServer(
  { host, port, variable: portVariable }: ProbeAddress,
  pages: Readonly<Record<string, ProbePage>>,
): Promise<ProbeServer> {
  const server = createServer(
    { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 1000 },
    (request, response) => void respond(pages, request, response),
  );
  server.maxConnections = MAX_CONNECTIONS;
  // Closes a connection on which nothing moves, for example because the client does not read.
  server.timeout = 2 * REQUEST_MS;
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => {
      const problem = listenProblem(cause.code, { host, port, hostVariable: 'PROBE_HOST', portVariable });
      reject(new Error(problem, { cause }));
    };
    server.once('error', refuse);
    server.listen({ host, port }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
  const { address, family, port: listening } = server.address() as AddressInfo;
  return {
    origin: `http://${family === 'IPv6' ? `[${address}]` : address}:${listening}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  pages: Readonly<Record<string, ProbePage>>,
  { method = '', url = '' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, type, body } = await answerTo(pages, method, url.split('?', 1).join(''));
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    Connection: 'close',
    ...(status === 405 ? { Allow: 'GET, HEAD' } : {}),
  });
  response.end(method === 'HEAD' ? undefined : body);
}

async function answerTo(
  pages: Readonly<Record<string, ProbePage>>,
  method: string,
  path: string,
): Promise<ProbeAnswer> {
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (page === undefined) return jsonAnswer(404, { status: 'not found' });
  if (method !== 'GET' && method !== 'HEAD') return jsonAnswer(405, { status: 'method not allowed' });
  return page().catch(() => jsonAnswer(500, { status: 'failed' }));
}

/** /healthz and /readyz of a process that serves nothing else. */
export function openHealth(address: ProbeAddress, readiness: Readiness): Promise<ProbeServer> {
  const pages: Record<string, ProbePage> = {
    '/healthz': async () => jsonAnswer(200, ALIVE),
    '/readyz': async () => {
      const report = await readiness.report();
      return jsonAnswer(statusOf(report), report);
    },
  };
  return openProbeServer(address, pages);
}
