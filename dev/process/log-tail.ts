import { readFileSync } from 'node:fs';

const LINES = 8;
const LONGEST_DETAIL = 300;

/** The last lines of a log, without stack traces. JSON is reduced to message and details. */
export function logTail(file: string): string[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines
    .filter((line) => !/^\s+at /.test(line))
    .slice(-LINES)
    .map(readable);
}

function readable(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const { msg, err, attr } = JSON.parse(line) as Entry;
    return [msg, err === undefined ? detailOf(attr) : messagesOf(err)].filter(Boolean).join(' ');
  } catch {
    return line;
  }
}

/** A line of pino, or of mongod, which has `attr`. */
interface Entry {
  msg?: string;
  err?: Logged;
  attr?: unknown;
}

interface Logged {
  message?: string;
  cause?: Logged;
}

const messagesOf = ({ message, cause }: Logged): string =>
  [message, cause && `(${messagesOf(cause)})`].filter(Boolean).join(' ');

const detailOf = (attr: unknown): string =>
  attr === undefined ? '' : JSON.stringify(attr).slice(0, LONGEST_DETAIL);
