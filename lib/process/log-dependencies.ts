import type { Logger } from 'pino';
import type { OnChange } from './readiness.ts';

/** Logs when a dependency goes away, with the reason, and when it is back. */
export const logDependencies =
  (logger: Pick<Logger, 'info' | 'warn'>): OnChange =>
  (dependency, problem) => {
    if (problem === undefined) logger.info({ dependency }, 'A dependency is back.');
    else logger.warn({ dependency, err: problem }, 'A dependency is away.');
  };
