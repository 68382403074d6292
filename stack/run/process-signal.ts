import { isatty } from 'node:tty';

const LOOK_MS = 250;

/**
 * Aborted when this process is asked to end and, `withParent`, once its parent is gone, which a process that was
 * killed cannot tell. Asking again changes nothing: one Ctrl-C arrives several times, from the terminal and from
 * the programs between it and this one, which all pass it on.
 */
export function processSignal({ withParent = false } = {}): AbortSignal {
  const controller = new AbortController();
  const stop = (why: string) => controller.abort(new Error(why));
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop(`stopped by ${name}`));
  // A terminal that has gone is none any more when the hang-up is heard of.
  const hasTerminal = [0, 1, 2].some(isatty);
  const watch = withParent ? onceOrphaned(() => stop('its parent has ended')) : undefined;
  process.on('SIGHUP', () => {
    if (hasTerminal) return stop('stopped by SIGHUP');
    // Under nohup, of which no more is left here, npm does not outlive the terminal: Node resets ignored signals.
    clearInterval(watch);
  });
  return controller.signal;
}

/** Looks twice: of a hang-up that the parent dies of, this process hears as well, but maybe a moment later. */
function onceOrphaned(callback: () => void): NodeJS.Timeout {
  const parent = process.ppid;
  let looks = 0;
  return setInterval(() => {
    if (process.ppid !== parent) looks += 1;
    if (looks === 2) callback();
  }, LOOK_MS).unref();
}
