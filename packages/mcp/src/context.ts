import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { ImageJobs } from 'image-job/node';
import type { Folders } from './folders.ts';
import type { Session } from './session.ts';

/** How long a call waits for its job, by whether the client watches its progress. */
export interface WaitMs {
  watched: number;
  unwatched: number;
}

/** What the tools of one session work with. */
export interface Context {
  server: McpServer;
  client: ImageJobs;
  session: Session;
  folders: Folders;
  /** Origins from which the service may fetch photos without a question. */
  imageOrigins: readonly string[];
  waitMs: WaitMs;
}
