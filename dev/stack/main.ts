import { environment } from '../../lib/process/config/config.ts';
import { aborted } from '../../lib/process/process.ts';
import { exitCodeOf } from '../../lib/process/run-main.ts';
import { processSignal } from '../process/process-signal.ts';
import { HELP, parseArguments, UsageError } from './arguments.ts';
import { banner } from './banner.ts';
import { startStack } from './stack.ts';

const env = environment();
// Only under npm: otherwise, for instance in the background, the parent may end first.
const signal = processSignal({ withParent: env.npm_lifecycle_event !== undefined });
const say = (line: string) => void process.stdout.write(`${line}\n`);
// A reader that has closed the pipe must not prevent the shutdown.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  const { watch, help } = parseArguments(process.argv.slice(2));
  if (help) say(HELP);
  else await run(watch);
} catch (cause) {
  if (!signal.aborted) {
    process.stderr.write(`\n${cause instanceof Error ? cause.message : String(cause)}\n`);
    process.exitCode = cause instanceof UsageError ? 2 : exitCodeOf(cause);
  }
}

async function run(watch: boolean): Promise<void> {
  await using stack = await startStack({ dataDir: '.stack', env, say, signal, watch });
  say(banner(stack));
  await aborted(signal);
  say('Stopping.');
}
