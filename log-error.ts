const DEEPEST = 5;
const LONGEST = 500;

/** An error as it is logged. */
export interface LoggedError {
  type: string;
  code?: string;
  message?: string;
  stack?: string;
  cause?: LoggedError;
}

/**
 * What of an error goes to the log: libraries hang pieces of bodies, answers and URLs on theirs, so no property but its
 * name and code, and no message of a parser, which quotes what it could not parse.
 */
export function describeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = codeOf(error);
  const quotes = error instanceof SyntaxError || error.name.includes('Parse');
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    ...(quotes ? {} : { message: error.message.slice(0, LONGEST) }),
    stack: framesOf(error),
    ...(error.cause === undefined || depth === DEEPEST
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
  };
}

/** The names and codes alone of an error and its causes, outermost first; of what is no error, its type. */
export function reasonsOf(error: unknown, depth = 0): string[] {
  if (error === undefined || depth > DEEPEST) return [];
  if (!(error instanceof Error)) return [typeof error];
  const code = codeOf(error);
  return [code === undefined ? error.name : `${error.name} ${code}`, ...reasonsOf(error.cause, depth + 1)];
}

/** `code` of Node, undici, Fastify and MongoDB, `kind` or `reason` of this project's errors, where they are names. */
function codeOf(error: Error): string | undefined {
  const { code, kind, reason } = error as { code?: unknown; kind?: unknown; reason?: unknown };
  const found = [code, kind, reason].find((one) => typeof one === 'number' || typeof one === 'string');
  return found === undefined ? undefined : String(found).slice(0, 64);
}

/** A stack begins with the message, which may hold line ends. */
function framesOf({ stack = '' }: Error): string {
  return stack
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .join('\n');
}
