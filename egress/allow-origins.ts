/** Origins, as `URL.origin` spells them, that are reached without any check of scheme or address. */
export type AllowedOrigins = ReadonlySet<string>;

/** Reads EGRESS_ALLOW_ORIGINS. Throws when an entry is more, or less, than an http or https origin. */
export function parseAllowOrigins(entries: readonly string[]): AllowedOrigins {
  return new Set(entries.map(parseOrigin));
}

/** What a process must say loudly at its start, or undefined when nothing is loosened. */
export function egressWarning(entries: readonly string[]): string | undefined {
  if (entries.length === 0) return undefined;
  return (
    `EGRESS_ALLOW_ORIGINS lets every caller reach ${[...parseAllowOrigins(entries)].join(', ')} ` +
    'through image_url and webhook_url, private addresses and plain http included. ' +
    'This is for tests and demos; leave it empty in production.'
  );
}

function parseOrigin(entry: string): string {
  const url = URL.canParse(entry) ? new URL(entry) : undefined;
  // An href that is more than the origin and a slash has a path, a query, a fragment or credentials.
  const bare = url !== undefined && url.href === `${url.origin}/`;
  if (!bare || !/^https?:$/.test(url.protocol))
    throw new Error(`EGRESS_ALLOW_ORIGINS: "${entry}" is not an origin such as http://127.0.0.1:8080`);
  return url.origin;
}
