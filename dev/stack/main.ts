import { parseArgs } from 'node:util';
import { environment } from '../../lib/process/config/config.ts';
import { aborted } from '../../lib/process/process.ts';
import { exitCodeOf } from '../../lib/process/run-main.ts';
import { processSignal } from '../process/process-signal.ts';
import { banner } from './banner.ts';
import { startStack } from './stack.ts';

const HELP = `npm start [-- --help]
npm run dev

Starts Temporal, MongoDB and an S3 server, which are obtained on the first start, and then the worker, the renderer and
the API. Prints the address of the API, a demo key and a first command. Ctrl-C stops all of it; the data in .stack/ is
kept. \`npm run dev\` also restarts a process when one of its sources changes.

Settings are environment variables, for instance API_PORT=9000 npm start; .env.example lists them all. A server whose
address is set (TEMPORAL_ADDRESS, MONGODB_URL, S3_ENDPOINT) is used and not started.

Exit codes: 0 after Ctrl-C, 2 when an argument or a setting is not usable, 1 when the start fails otherwise.
`;

const env = environment();
// Only under npm: otherwise, for instance in the background, the parent may end first.
const signal = processSignal({ withParent: env.npm_lifecycle_event !== undefined });
const say = (line: string) => void process.stdout.write(`${line}\n`);
// A reader that has closed the pipe must not prevent the shutdown.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  const options = parseOptions(process.argv.slice(2));
  if (typeof options === 'string') fail(options, 2);
  else if (options.help) say(HELP);
  else await run(options.watch);
} catch (cause) {
  if (!signal.aborted) fail(cause instanceof Error ? cause.message : String(cause), exitCodeOf(cause));
}

/** @returns what is wrong with the arguments, or what they say */
function parseOptions(args: readonly string[]): { watch: boolean; help: boolean } | string {
  try {
    const options = {
      watch: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message.split('. ')[0] : String(cause);
    return `${message}. Settings are environment variables; see npm start -- --help.`;
  }
}

async function run(watch: boolean): Promise<void> {
  await using stack = await startStack({ dataDir: '.stack', env, say, signal, watch });
  say(banner(stack));
  await aborted(signal);
  say('Stopping.');
}

function fail(message: string, exitCode: number): void {
  process.stderr.write(`\n${message}\n`);
  process.exitCode = exitCode;
}
