import { isatty } from 'node:tty';

const CHECK_MS = 250;

/**
 * Aborted when this process receives a stop signal and, `withParent`, when its parent has ended, because a killed
 * parent cannot signal it. Further signals change nothing: one Ctrl-C arrives several times, from the terminal and from
 * each program in between that forwards it.
 */
export function processSignal({ withParent = false } = {}): AbortSignal {
  const controller = new AbortController();
  const stop = (reason: string) => controller.abort(new Error(reason));
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop(`stopped by ${name}`));
  // Checked now: after a hang-up the terminal is no longer one.
  const hasTerminal = [0, 1, 2].some(isatty);
  const watch = withParent ? onceOrphaned(() => stop('its parent has ended')) : undefined;
  process.on('SIGHUP', () => {
    if (hasTerminal) return stop('stopped by SIGHUP');
    // Started under nohup: npm ends with the terminal, because Node resets ignored signals; this process must not.
    clearInterval(watch);
  });
  return controller.signal;
}

/** Checks twice: a hang-up that ends the parent reaches this process too, but maybe a moment later. */
function onceOrphaned(callback: () => void): NodeJS.Timeout {
  const parent = process.ppid;
  let checks = 0;
  return setInterval(() => {
    if (process.ppid !== parent) checks += 1;
    if (checks === 2) callback();
  }, CHECK_MS).unref();
}
