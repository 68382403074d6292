import { type Logger, pino } from 'pino';
import type { Config } from './config.ts';

/** JSON lines on stdout; API keys never reach them. */
export function createLogger(config: Config['log'], name: string): Logger {
  return pino({
    name,
    level: config.level,
    redact: ['req.headers["x-api-key"]'],
    ...(config.pretty ? { transport: { target: 'pino-pretty' } } : {}),
  });
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
