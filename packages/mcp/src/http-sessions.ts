import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

export interface HttpSessions {
  /** Passes a request to its session. A request without a session id may begin a new session. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

interface Session {
  server: McpServer;
  transport: StreamableHTTPServerTransport;
}

/**
 * Most clients never end a session. Beyond this many, the session that was idle longest is closed.
 */
const MOST_SESSIONS = 100;

export function createHttpSessions(newServer: () => McpServer): HttpSessions {
  const sessions = new Map<string, Session>();

  async function open(): Promise<Session> {
    const server = newServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: async (id) => {
        sessions.set(id, { server, transport });
        const [oldest] = sessions;
        if (sessions.size > MOST_SESSIONS && oldest !== undefined) await oldest[1].server.close();
      },
    });
    // Its accessors may return undefined, which the types of the interface do not allow.
    await server.connect(transport as Transport);
    server.server.onclose = () => void sessions.delete(transport.sessionId ?? '');
    return { server, transport };
  }

  return {
    async handle(request, response) {
      const id = request.headers['mcp-session-id']?.toString();
      const known = id === undefined ? undefined : sessions.get(id);
      if (id !== undefined && known === undefined)
        return refuse(response, 404, 'There is no such session; initialize a new one.');
      if (known === undefined) {
        const { server, transport } = await open();
        await transport.handleRequest(request, response);
        if (transport.sessionId === undefined) await server.close();
        return;
      }
      // Moves the session to the end: the first is closed first.
      sessions.delete(id ?? '');
      sessions.set(id ?? '', known);
      await known.transport.handleRequest(request, response);
    },
    async close() {
      await Promise.all([...sessions.values()].map(({ server }) => server.close()));
    },
  };
}

export function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
}
