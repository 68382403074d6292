import { countdown } from './countdown.ts';

/**
 * Time for closing connections, between the end of the grace period and the exit of the process.
 */
export const CLOSING_MS = 4000;
/** Default shutdown timeout; orchestrators send SIGKILL after 30 s. */
const SHUTDOWN_MS = 29_000;

/**
 * An AbortSignal for SIGINT and SIGTERM. The process exits at once on a second signal, and
 * `withinMs` after the first, because a client may never finish its request and a connection never
 * close.
 */
export function shutdownSignal(withinMs = SHUTDOWN_MS): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(1);
      endWithin(withinMs, 1);
      controller.abort(name);
    });
  return controller.signal;
}

/**
 * Exits after `ms` milliseconds, unless the process has ended by itself before. Without `code`,
 * with `process.exitCode`.
 */
export function endWithin(ms: number, code?: number): void {
  setTimeout(() => {
    // process.exit(undefined) would end with 0.
    if (code !== undefined) process.exitCode = code;
    process.exit();
  }, ms).unref();
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The deadline passed. The work continues, but its outcome is ignored. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Resolves or rejects like `work`.
 * @throws DeadlineExceeded after `withinMs`, see {@link countdown}
 */
export function withDeadline<T>(withinMs: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () => reject(new DeadlineExceeded(`Deadline of ${withinMs} ms exceeded.`));
    const limit = countdown(withinMs, expire);
    work.then(resolve, reject).finally(limit[Symbol.dispose]);
  });
}
