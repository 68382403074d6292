import { Runtime, type Logger as TemporalLogger } from '@temporalio/worker';
import type { Logger } from 'pino';

/** Sets up the SDK's only runtime in this process, which must not handle signals itself. Must be called before connecting. */
export function installRuntime(logger: Logger): void {
  Runtime.install({ logger: temporalLogger(logger), shutdownSignals: [] });
}

/** Writes the Temporal SDK's log entries to the process's logger. */
function temporalLogger(logger: Logger): TemporalLogger {
  const write = (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') => (message: string, meta?: object) =>
    logger[level](meta ?? {}, message);
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
