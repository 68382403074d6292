import { environment } from '../config.ts';
import { aborted } from '../runtime.ts';
import { banner } from './banner.ts';
import { processSignal } from './run/process-signal.ts';
import { startStack } from './stack.ts';

const signal = processSignal();
const say = (line: string) => void process.stdout.write(`${line}\n`);

try {
  // No stack file is read: addresses that an earlier start wrote down are not the caller's.
  await using stack = await startStack({ dataDir: '.stack', env: environment(''), say, signal });
  say(banner(stack.described, stack.dataDir));
  await aborted(signal);
  say('Stopping.');
} catch (cause) {
  if (!signal.aborted) {
    process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
    process.exitCode = 1;
  }
}
