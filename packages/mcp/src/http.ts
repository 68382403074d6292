import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { type GuardOptions, refusalOf } from './guard.ts';
import { createHttpSessions, refuse } from './http-sessions.ts';

export interface HttpServer extends AsyncDisposable {
  url: string;
}

/**
 * Serves streamable HTTP on loopback, a server for each session.
 * @param port 0 takes a free one
 */
export async function listen(
  port: number,
  guard: GuardOptions,
  newServer: () => McpServer,
): Promise<HttpServer> {
  const sessions = createHttpSessions(newServer);
  const http = createServer((request, response) => {
    // The SDK answers errors itself; here the connection is gone.
    answer(request, response).catch(() => response.destroy());
  });
  http.listen(port, '127.0.0.1');
  await once(http, 'listening');

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request.headers, guard);
    if (refusal !== undefined) return refuse(response, refusal.status, refusal.message);
    if (request.url !== '/mcp') return refuse(response, 404, 'The endpoint is /mcp.');
    await sessions.handle(request, response);
  }

  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      await sessions.close();
      http.closeAllConnections();
      await new Promise((closed) => http.close(closed));
    },
  };
}
