import {
  type LogMetadata,
  Runtime,
  type TelemetryOptions,
  type Logger as TemporalLogger,
} from '@temporalio/worker';
import type { Logger } from 'pino';

const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

/**
 * Sets up the SDK's only runtime in this process, which must not handle signals itself. Must be called before connecting.
 * It ends with the last connection. Disposing ends it also if there was none: until then it keeps the process running.
 */
export function installRuntime(
  logger: Logger,
  { metrics }: Pick<TelemetryOptions, 'metrics'> = {},
): AsyncDisposable {
  // Without `forward` the SDK's native part writes lines of its own to the console, which are no JSON.
  const logging = { forward: {} };
  const telemetryOptions = { logging, ...(metrics === undefined ? {} : { metrics }) };
  const runtime = Runtime.install({ logger: temporalLogger(logger), telemetryOptions, shutdownSignals: [] });
  return { [Symbol.asyncDispose]: () => runtime.shutdown() };
}

/**
 * Writes the Temporal SDK's log entries to the process's logger. Of an entry's fields only plain values are kept: on the
 * levels debug and trace others hold whole tasks, with what clients have sent. An error becomes `err`, the field whose
 * errors are logged without data from requests.
 */
export function temporalLogger(logger: Logger): TemporalLogger {
  const write =
    (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, meta: LogMetadata = {}) => {
      const { error } = meta;
      logger[level]({ ...plain(meta), ...(error instanceof Error ? { err: error } : {}) }, message);
    };
  const log: TemporalLogger['log'] = (level, message, meta) => {
    const names = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
    write(names[level])(message, meta);
  };
  return {
    log,
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}

const plain = (meta: LogMetadata) =>
  Object.fromEntries(Object.entries(meta).filter(([, value]) => PLAIN.has(typeof value)));
