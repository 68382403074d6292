import { readFile } from 'node:fs/promises';
import { ImageJobs } from '../node.ts';
import { type Arguments, parseArguments } from './arguments.ts';
import { type Context, runEdit } from './edit.ts';
import { printable } from './printable.ts';
import { showAccount, showTools } from './show.ts';
import { USAGE, UsageError } from './usage.ts';

type Streams = Pick<Context, 'stdout' | 'stderr' | 'signal'>;

/** Runs a command line. @returns the exit code */
export async function run(
  args: string[],
  env: Readonly<Record<string, string | undefined>>,
  streams: Streams,
): Promise<number> {
  try {
    const parsed = parseArguments(args);
    const code = (await execute(parsed, env, streams)) ? 0 : 1;
    if (!streams.signal.aborted) return code;
    streams.stderr.write('Interrupted. The same command continues where this one was.\n');
    return 130;
  } catch (error) {
    if (streams.signal.aborted) return 130;
    const message = error instanceof Error ? error.message : String(error);
    streams.stderr.write(`image-job: ${printable(message)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function execute(
  { command, baseUrl, json }: Arguments,
  env: Readonly<Record<string, string | undefined>>,
  streams: Streams,
): Promise<boolean> {
  if (command.command === 'help' || command.command === 'version') {
    streams.stdout.write(command.command === 'help' ? USAGE : `${await version()}\n`);
    return true;
  }
  const context = {
    ...streams,
    json,
    client: connect(baseUrl ?? env.IMAGE_JOB_BASE_URL, env.IMAGE_JOB_API_KEY),
  };
  if (command.command === 'edit') return runEdit(command, context);
  if (command.command === 'tools') await showTools(command.slug, context);
  else await showAccount(context);
  return true;
}

async function version(): Promise<string> {
  return JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')).version;
}

function connect(baseUrl: string | undefined, apiKey: string | undefined): ImageJobs {
  if (apiKey === undefined) throw new UsageError('Put the API key into IMAGE_JOB_API_KEY.');
  if (baseUrl === undefined)
    throw new UsageError('Put the URL of the service into IMAGE_JOB_BASE_URL, or use --base-url.');
  try {
    return new ImageJobs({ baseUrl, apiKey });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
