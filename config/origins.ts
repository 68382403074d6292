/** The origin as `URL.origin` writes it; undefined for anything but an http or https origin. */
export function originOf(entry: string): string | undefined {
  const url = URL.canParse(entry) ? new URL(entry) : undefined;
  // A longer href has a path, a query, a fragment or credentials.
  const isBare = url !== undefined && url.href === `${url.origin}/`;
  return isBare && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/** Problems with EGRESS_ALLOW_ORIGINS, a line each. Entries are not quoted, because they may have credentials. */
export const originProblems = (entries: readonly string[]): string[] =>
  entries.flatMap((entry, index) =>
    originOf(entry) === undefined
      ? [`EGRESS_ALLOW_ORIGINS: entry ${index + 1} is not an origin such as http://127.0.0.1:8080`]
      : [],
  );
