import { isatty } from 'node:tty';

const CHECK_MS = 250;

/**
 * Aborted when this process receives a stop signal. Further signals change nothing: the terminal
 * sends Ctrl-C to every program, and npm forwards it as well.
 * @param withParent also abort when the parent has ended; a parent that was killed sends no signal
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
    // Under nohup this process goes on, although npm ends: Node resets the signals that nohup
    // ignores.
    clearInterval(watch);
  });
  return controller.signal;
}

/** Checks twice, because a hang-up may end the parent a moment before it reaches this process. */
function onceOrphaned(callback: () => void): NodeJS.Timeout {
  const parent = process.ppid;
  let checks = 0;
  return setInterval(() => {
    if (process.ppid !== parent) checks += 1;
    if (checks === 2) callback();
  }, CHECK_MS).unref();
}
