import type { Logger } from 'pino';
import { type Config, ConfigError, environment, loadConfig } from './config/config.ts';
import { createLogger } from './log.ts';
import { CLOSING_MS, endWithin, shutdownSignal } from './process.ts';

/** Every process of the service starts with this. */
export interface ServiceContext {
  config: Config;
  logger: Logger;
  /** Aborted on SIGTERM and SIGINT. */
  signal: AbortSignal;
}

/** 2 for an environment that is not usable, otherwise 1. */
export const exitCodeOf = (error: unknown): 1 | 2 => (error instanceof ConfigError ? 2 : 1);

/**
 * Runs the main function of a process. An error ends the process with a message on stderr, without
 * a stack trace, and {@link exitCodeOf}.
 */
export async function runMain(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    end(error);
  }
}

/**
 * Runs a process of the service: with its configuration from the environment, and its errors in its
 * log.
 * @param graceMs how long running work may take to finish after the signal, in milliseconds
 */
export function runService(
  name: string,
  main: (context: ServiceContext) => Promise<void>,
  graceMs = ({ shutdownGraceMs }: Config) => shutdownGraceMs,
): Promise<void> {
  return runMain(async () => {
    const config = loadConfig(environment());
    const logger = createLogger(config.log, name);
    const signal = shutdownSignal(graceMs(config) + CLOSING_MS);
    try {
      await main({ config, logger, signal });
    } catch (err) {
      if (err instanceof ConfigError) throw err;
      logger.fatal({ err }, 'The process has failed.');
      end(err);
    }
  });
}

/** Ends the process even if the failure has left something open. */
function end(error: unknown): void {
  process.exitCode = exitCodeOf(error);
  endWithin(CLOSING_MS);
}
