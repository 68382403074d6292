import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import type { Config } from './config/config.ts';

/** Logs JSON lines to stdout or `to`, without API keys and without data from requests. */
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

const MAX_CAUSES = 5;
const MAX_MESSAGE_LENGTH = 500;

/** The fields of an error that are logged. */
export interface LoggedError {
  type: string;
  code?: string;
  message?: string;
  stack?: string;
  cause?: LoggedError;
}

/**
 * Names and types of errors whose message quotes others: a parser its input, a generator its
 * upstream.
 */
const QUOTING = /SyntaxError|Parse|^GeneratorError$|^generator_/;

/**
 * The part of an error that is safe to log. Libraries attach pieces of bodies, responses and URLs
 * to their errors. So it keeps only name, code and message, and drops a message that quotes others.
 */
function describeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = codeOf(error);
  const quotesOthers = QUOTING.test(error.name) || QUOTING.test(code ?? '');
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    ...(quotesOthers ? {} : { message: error.message.slice(0, MAX_MESSAGE_LENGTH) }),
    stack: framesOf(error),
    ...(error.cause === undefined || depth === MAX_CAUSES
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
  };
}

/**
 * Names and codes of an error and its causes, outermost first; the type of a value that is not an
 * Error.
 */
export function reasonsOf(error: unknown, depth = 0): string[] {
  if (error === undefined || depth > MAX_CAUSES) return [];
  if (!(error instanceof Error)) return [typeof error];
  const code = codeOf(error);
  return [code === undefined ? error.name : `${error.name} ${code}`, ...reasonsOf(error.cause, depth + 1)];
}

/**
 * `code` (Node, undici, Fastify, MongoDB), `kind` or `reason` (this project) or `type` (Temporal),
 * if a string or number.
 */
function codeOf(error: Error): string | undefined {
  const { code, kind, reason, type } = error as Partial<Record<'code' | 'kind' | 'reason' | 'type', unknown>>;
  const found = [code, kind, reason, type].find(
    (value) => typeof value === 'number' || typeof value === 'string',
  );
  return found === undefined ? undefined : String(found).slice(0, 64);
}

/** The stack without the message, which precedes the frames and may have several lines. */
function framesOf({ stack = '' }: Error): string {
  return stack
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .join('\n');
}
