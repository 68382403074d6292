import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ImageJobs } from 'image-job/node';
import { type Config, readConfig, UsageError } from './config.ts';
import { listen } from './http.ts';
import { createServer, type ServerOptions } from './server.ts';
import { USAGE } from './usage.ts';

export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  stdin: Readable;
  /** Carries the protocol and nothing else. */
  stdout: Writable;
  stderr: Writable;
  signal: AbortSignal;
}

/** Serves until the client has gone or the signal aborts. @returns the exit code */
export async function run(args: string[], surroundings: Surroundings): Promise<number> {
  const { env, stdout, stderr } = surroundings;
  try {
    const { http, help, version } = parse(args);
    if (help === true) stdout.write(USAGE);
    else if (version === true) stdout.write(`${await packageVersion()}\n`);
    else await serve(http === undefined ? undefined : portOf(http), readConfig(env), surroundings);
    return 0;
  } catch (error) {
    stderr.write(`image-job-mcp: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function parse(args: string[]) {
  try {
    const options = {
      http: { type: 'string' },
      help: { type: 'boolean' },
      version: { type: 'boolean' },
    } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError('--http must be a port, or 0 for a free one.');
}

async function serve(port: number | undefined, config: Config, surroundings: Surroundings): Promise<void> {
  const { folders, imageOrigins, origins, token } = config;
  const client = clientOf(config);
  const options = { client, version: await packageVersion(), folders, imageOrigins };
  if (port === undefined) return serveStdio({ ...options, trustRoots: true }, surroundings);
  const newServer = () => createServer({ ...options, trustRoots: false });
  await using http = await listen(port, { origins, token }, newServer);
  surroundings.stderr.write(`Listening on ${http.url}\n`);
  await aborted(surroundings.signal);
}

async function serveStdio(options: ServerOptions, { stdin, stdout, signal }: Surroundings): Promise<void> {
  const server = createServer(options);
  const gone = Promise.race([once(stdin, 'end'), once(stdin, 'close'), aborted(signal)]);
  await server.connect(new StdioServerTransport(stdin, stdout));
  await gone;
  await server.close();
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

function clientOf({ apiKey, baseUrl }: Config): ImageJobs {
  try {
    return new ImageJobs({ apiKey, baseUrl });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function packageVersion(): Promise<string> {
  return JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')).version;
}
