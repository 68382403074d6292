import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolResultSchema,
  type ClientCapabilities,
  ElicitRequestSchema,
  type ElicitResult,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type Fetch, ImageJobs } from '../../../packages/client/src/node.ts';
import type { WaitMs } from '../../../packages/mcp/src/context.ts';
import { createServer } from '../../../packages/mcp/src/server.ts';

export interface AssistantOptions {
  /** Answers what the server asks; without it, the client cannot be asked. */
  elicit?: (message: string) => ElicitResult | Promise<ElicitResult>;
  /** File URLs of the folders that the client has open. */
  roots?: string[];
}

/** A client of the server under test, as an assistant has one. */
export async function connectAssistant(transport: Transport, { elicit, roots }: AssistantOptions = {}) {
  const capabilities: ClientCapabilities = {
    ...(elicit === undefined ? {} : { elicitation: {} }),
    ...(roots === undefined ? {} : { roots: {} }),
  };
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities });
  if (elicit !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicit(params.message));
  if (roots !== undefined)
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: roots.map((uri) => ({ uri })) }));
  await client.connect(transport);
  return {
    client,
    async call(name: string, args: Record<string, unknown> = {}, onprogress?: (message: string) => void) {
      const watch =
        onprogress === undefined
          ? {}
          : { onprogress: ({ message = '' }: { message?: string | undefined }) => onprogress(message) };
      const result = await client.callTool({ name, arguments: args }, CallToolResultSchema, watch);
      const { content, structuredContent, isError = false } = CallToolResultSchema.parse(result);
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      const links = content.flatMap((part) => (part.type === 'resource_link' ? [part.uri] : []));
      return { text, links, isError, value: structuredContent };
    },
  };
}

export interface Connection extends AssistantOptions {
  apiKey: string;
  baseUrl: string;
  folders?: string[] | undefined;
  imageOrigins?: string[];
  trustRoots?: boolean;
  waitMs?: WaitMs | undefined;
  fetch?: Fetch;
}

/** An assistant and a server in this process. */
export async function startAssistant(connection: Connection) {
  const { apiKey, baseUrl, folders, imageOrigins = [], waitMs } = connection;
  const { trustRoots = true, fetch = globalThis.fetch } = connection;
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new ImageJobs({ apiKey, baseUrl, fetch });
  const server = createServer({ client, version: '1.0.0', folders, imageOrigins, trustRoots, waitMs });
  await server.connect(far);
  return connectAssistant(near, connection);
}
