import { setInterval } from 'node:timers/promises';
import { processSignal } from '../../../dev/process/process-signal.ts';

/** Prints its pid repeatedly until it is stopped, then the reason. */
const signal = processSignal({ withParent: true });
for await (const _ of setInterval(100)) {
  if (signal.aborted) break;
  process.stdout.write(`${process.pid}\n`);
}
process.stdout.write(`${signal.reason.message}\n`);
