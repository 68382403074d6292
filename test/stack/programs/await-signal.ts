import { setInterval } from 'node:timers/promises';
import { processSignal } from '../../../stack/run/process-signal.ts';

/** Prints its pid again and again until it is told to end, then the reason. */
const signal = processSignal({ withParent: true });
for await (const _ of setInterval(100)) {
  if (signal.aborted) break;
  process.stdout.write(`${process.pid}\n`);
}
process.stdout.write(`${signal.reason.message}\n`);
