import { Type } from 'typebox';

export const Text = (description: string, value: string) =>
  Type.String({ minLength: 1, description, default: value });
/**
 * An address has no default: a process must not connect to a wrong address, or advertise it.
 */
export const Address = (description: string, example: string, form: { pattern: string; expected: string }) =>
  Type.String({ ...form, description, examples: [example] });
export const Url = (description: string, example: string) =>
  Type.String({ pattern: '^https?://[^/]+', description, examples: [example] });
export const Count = (description: string, value: number, minimum = 1) =>
  Type.Integer({ minimum, description, default: value });
/**
 * The longest timer of Node is 2^31 - 1 ms; a longer one would fire at once. Callers add a few
 * seconds to some times.
 */
const MOST_MS = 2_147_000_000;
export const Milliseconds = (description: string, value: number, minimum = 0) =>
  Type.Integer({ minimum, maximum: MOST_MS, description, default: value });
export const Port = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, description }));
export const Optional = (description: string) => Type.String({ description, default: '' });
export const Flag = (description: string, value: boolean) => Type.Boolean({ description, default: value });

/** The entries of a comma-separated variable. */
export const entriesOf = (text = ''): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/**
 * A URL without slashes at its end. It is a loop, because `/\/+$/` takes quadratic time on a long
 * run of slashes.
 */
export function withoutSlash(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}

/** The origin as `URL.origin` writes it; undefined for anything but an http or https origin. */
export function originOf(entry: string): string | undefined {
  const url = URL.canParse(entry) ? new URL(entry) : undefined;
  // A longer href has a path, a query, a fragment or credentials.
  const isBare = url !== undefined && url.href === `${url.origin}/`;
  return isBare && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/** The origins of a list as `URL.origin` writes them, which is how they are compared. */
export const originsOf = (list: string): readonly string[] =>
  Object.freeze(entriesOf(list).flatMap((entry) => originOf(entry) ?? []));

/**
 * Problems with a variable that lists origins, a line each. Entries are not quoted, because they
 * may have credentials.
 */
export const originProblems = (variable: string, list?: string): string[] =>
  entriesOf(list).flatMap((entry, index) =>
    originOf(entry) === undefined
      ? [`${variable}: entry ${index + 1} is not an origin such as http://127.0.0.1:8080`]
      : [],
  );

/** Why a file cannot be read, such as ENOENT; the message of the error would quote the path. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
