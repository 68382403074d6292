import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import type { Config } from './config.ts';
import { describeError } from './log-error.ts';

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

/** SIGINT and SIGTERM of the process as one AbortSignal; a second one ends the process at once. */
export function shutdownSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(1);
      controller.abort(name);
    });
  return controller.signal;
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
