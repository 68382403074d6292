import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import type { Config } from './config.ts';
import { describeError } from './log-error.ts';

/** From the end of the grace until the process is over, its connections closed. */
export const CLOSING_MS = 4000;
/** For a process whose running work has no grace of its own; orchestrators kill after 30 s. */
const SHUTDOWN_MS = 29_000;

/** JSON lines on stdout, or where they are sent; no key, nor any piece of what a caller sent, reaches them. */
export function createLogger(config: Config['log'], name: string, to?: DestinationStream): Logger {
  const options: LoggerOptions = {
    name,
    level: config.level,
    redact: ['req.headers["x-api-key"]'],
    serializers: { err: (error: unknown) => describeError(error) },
    ...(config.pretty ? { transport: { target: 'pino-pretty' } } : {}),
  };
  return to === undefined ? pino(options) : pino(options, to);
}

/**
 * SIGINT and SIGTERM of the process as one AbortSignal. A second one ends the process at once, and so does the time
 * being up: a client may never finish its request, and a connection never close.
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

/** Ends the process after so many milliseconds, unless it has ended by then because nothing was left to do. */
export function endWithin(ms: number, code?: number): void {
  setTimeout(() => process.exit(code), ms).unref();
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The work was not done in time; it goes on unheard. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** The outcome of the work, unless the time is up first. @throws DeadlineExceeded */
export async function withDeadline<T>(withinMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const up = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded(`Not done within ${withinMs} ms.`)), withinMs);
  });
  try {
    return await Promise.race([work, up]);
  } finally {
    clearTimeout(timer);
  }
}
