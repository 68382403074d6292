import { createRequire } from 'node:module';
import { type Static, Type } from 'typebox';
import { Flag } from './variables.ts';

/** Environment variables of the log. */
export const LOG_ENVIRONMENT = {
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    description: 'Minimum level that is logged.',
    default: 'info',
  }),
  LOG_PRETTY: Flag(
    'Human-readable logs instead of JSON lines; requires pino-pretty, a development dependency.',
    false,
  ),
};

const Log = Type.Object(LOG_ENVIRONMENT);
type LogEnvironment = Static<typeof Log>;

export const groupLog = (env: LogEnvironment) =>
  Object.freeze({ level: env.LOG_LEVEL, pretty: env.LOG_PRETTY });

/** Pino loads its transport by name, and fails with a stack trace if the package is missing, as it is in production. */
export function logProblems(env: LogEnvironment): string[] {
  return env.LOG_PRETTY === true && !isInstalled('pino-pretty')
    ? ['LOG_PRETTY: the package pino-pretty is not installed; `npm ci --omit=dev` leaves it out']
    : [];
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
