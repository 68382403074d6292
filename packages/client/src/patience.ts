import { ImageJobConnectionError, ImageJobError } from './errors.ts';

/**
 * A service that was never reached may be starting. A wrong host, port or certificate stays wrong.
 */
const UNREACHED_MS = 15_000;

/** Codes of Node for a connection that failed to open. */
const UNREACHED =
  /^(?:ENOTFOUND|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|EPROTO)$|^ERR_SSL_|^ERR_TLS_|^UNABLE_TO_|CERT/;

/** The messages of `fetch` for a URL that it never sends to. */
const REFUSED_URL = /^(bad port|unknown scheme|not implemented|invalid url|failed to parse url)/i;

/**
 * How long to go on with attempts after `error`, in milliseconds. 0: not at all.
 * @param isReached whether the host has answered before
 */
export function patienceMs(error: unknown, isReached: boolean): number {
  if (error instanceof ImageJobError)
    return error.status === 429 || error.status >= 500 ? Number.POSITIVE_INFINITY : 0;
  if (!(error instanceof ImageJobConnectionError)) return 0;
  const failures = [error.cause, error.cause instanceof Error ? error.cause.cause : undefined];
  const isRefused = failures.some((cause) => cause instanceof Error && REFUSED_URL.test(cause.message));
  if (isRefused) return 0;
  const isUnreached = failures.some((cause) => UNREACHED.test(codeOf(cause)));
  return isUnreached && !isReached ? UNREACHED_MS : Number.POSITIVE_INFINITY;
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
