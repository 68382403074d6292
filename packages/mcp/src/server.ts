import { fileURLToPath } from 'node:url';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { ImageJobs } from 'image-job/node';
import type { Context, WaitMs } from './context.ts';
import { createSession } from './session.ts';
import { addAccount } from './tools/account.ts';
import { addDescribeTool } from './tools/describe-tool.ts';
import { addEditPhoto } from './tools/edit-photo.ts';
import { addGetJob } from './tools/get-job.ts';
import { addListTools } from './tools/list-tools.ts';

export interface ServerOptions {
  client: ImageJobs;
  version: string;
  /** Folders whose files may be used. */
  folders: string[] | undefined;
  /** Origins from which the service may fetch photos without a question. */
  imageOrigins: readonly string[];
  /**
   * Whether to use the roots of the client if no folders are set. Only for a client on this
   * machine, of the same user.
   */
  trustRoots: boolean;
  waitMs?: WaitMs | undefined;
}

/** Clients that do not watch progress stop waiting for a call after a minute. */
const WAIT_MS: WaitMs = { watched: 10 * 60_000, unwatched: 45_000 };

const INSTRUCTIONS = `Edits photos of homes: staging, renovation, light, removal, exteriors, floor plans.
Choose a tool with list_tools, read its options with describe_tool, then call edit_photo.
Each edit is charged in images; account shows the balance.`;

/** A server for one session. */
export function createServer(options: ServerOptions): McpServer {
  const { client, version, folders, imageOrigins, trustRoots, waitMs = WAIT_MS } = options;
  const server = new McpServer(
    { name: 'image-job', title: 'Image Job', version },
    { instructions: INSTRUCTIONS },
  );
  const allowed = async () => folders ?? (trustRoots ? rootsOf(server) : []);
  const session = createSession(client);
  const context: Context = { server, client, session, folders: allowed, imageOrigins, waitMs };
  for (const add of [addListTools, addDescribeTool, addEditPhoto, addGetJob, addAccount]) add(context);
  return server;
}

/** The folders that the user has opened in the client. Undefined if the client does not tell. */
async function rootsOf({ server }: McpServer): Promise<string[]> {
  if (server.getClientCapabilities()?.roots === undefined) return [];
  const { roots } = await server.listRoots();
  return roots.map(({ uri }) => fileURLToPath(uri));
}
