import {
  type LogMetadata,
  Runtime,
  type TelemetryOptions,
  type Logger as TemporalLogger,
} from '@temporalio/worker';
import type { Logger } from 'pino';

const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

/**
 * Sets up the SDK's only runtime in this process. It does not handle signals. Must be called before
 * connecting. The runtime ends with the last connection; if there was none, it keeps the process
 * running until it is disposed.
 */
export function installRuntime(
  logger: Logger,
  { metrics }: Pick<TelemetryOptions, 'metrics'> = {},
): AsyncDisposable {
  // Without `forward`, the SDK's native part writes lines to the console that are no JSON.
  const logging = { forward: {} };
  const telemetryOptions = { logging, ...(metrics === undefined ? {} : { metrics }) };
  const runtime = Runtime.install({ logger: temporalLogger(logger), telemetryOptions, shutdownSignals: [] });
  return { [Symbol.asyncDispose]: () => runtime.shutdown() };
}

/**
 * Writes the Temporal SDK's log entries to the process's logger. Only plain values of an entry's
 * fields are kept: on the levels debug and trace, other fields hold whole tasks, with what clients
 * have sent. An error becomes `err`: the logger logs errors of this field without data from
 * requests.
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
