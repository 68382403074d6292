import { listOf } from './list.ts';

/** The origin as `URL.origin` writes it; undefined for anything but an http or https origin. */
export function originOf(entry: string): string | undefined {
  const url = URL.canParse(entry) ? new URL(entry) : undefined;
  // A longer href has a path, a query, a fragment or credentials.
  const isBare = url !== undefined && url.href === `${url.origin}/`;
  return isBare && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/** The origins of a list as `URL.origin` writes them, which is how they are compared. */
export const originsOf = (list: string): readonly string[] =>
  Object.freeze(listOf(list).flatMap((entry) => originOf(entry) ?? []));

/** Problems with a variable that lists origins, a line each. Entries are not quoted, because they may have credentials. */
export const originProblems = (variable: string, list?: string): string[] =>
  listOf(list).flatMap((entry, index) =>
    originOf(entry) === undefined
      ? [`${variable}: entry ${index + 1} is not an origin such as http://127.0.0.1:8080`]
      : [],
  );
