import { environment } from '../../config.ts';
import { aborted } from '../../runtime/process.ts';
import { processSignal } from '../process/process-signal.ts';
import { banner } from './banner.ts';
import { startStack } from './stack.ts';

const env = environment();
// Only under npm: otherwise, for instance in the background, the parent may end first.
const signal = processSignal({ withParent: env.npm_lifecycle_event !== undefined });
const say = (line: string) => void process.stdout.write(`${line}\n`);
// A reader that has closed the pipe must not prevent the shutdown.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  await using stack = await startStack({
    dataDir: '.stack',
    env,
    say,
    signal,
    watch: process.argv.includes('--watch'),
  });
  say(banner(stack.described, stack.dataDir));
  await aborted(signal);
  say('Stopping.');
} catch (cause) {
  if (!signal.aborted) {
    process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
    process.exitCode = 1;
  }
}
