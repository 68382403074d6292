import { environment } from '../config.ts';
import { aborted } from '../runtime.ts';
import { banner } from './banner.ts';
import { processSignal } from './run/process-signal.ts';
import { startStack } from './stack.ts';

// No stack file is read: addresses that an earlier start wrote down are not the caller's.
const env = environment('');
// Whoever starts this without npm, in the background for instance, may end before it.
const signal = processSignal({ withParent: env.npm_lifecycle_event !== undefined });
const say = (line: string) => void process.stdout.write(`${line}\n`);
// Whoever read these may be gone already, and what was started has to be stopped all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  await using stack = await startStack({ dataDir: '.stack', env, say, signal });
  say(banner(stack.described, stack.dataDir));
  await aborted(signal);
  say('Stopping.');
} catch (cause) {
  if (!signal.aborted) {
    process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
    process.exitCode = 1;
  }
}
