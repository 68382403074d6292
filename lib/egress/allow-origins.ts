import { originOf } from '../process/config/variables.ts';

/** Origins, as `URL.origin` writes them, that are exempt from the checks of scheme and address. */
export type AllowedOrigins = ReadonlySet<string>;

/** @throws Error when an entry is not an http or https origin */
export function parseAllowOrigins(entries: readonly string[]): AllowedOrigins {
  return new Set(entries.map(parseOrigin));
}

/** The warning that a process logs at startup, or undefined when no origin is exempt. */
export function egressWarning(entries: readonly string[]): string | undefined {
  if (entries.length === 0) return undefined;
  return (
    `EGRESS_ALLOW_ORIGINS lets every caller reach ${entries.join(', ')} ` +
    'through image_url and webhook_url, including private addresses and plain http. ' +
    'Use it for tests and demos only; leave it empty in production.'
  );
}

function parseOrigin(entry: string): string {
  const origin = originOf(entry);
  if (origin === undefined)
    throw new Error(`${JSON.stringify(entry)} is not an origin such as http://127.0.0.1:8080`);
  return origin;
}
