import type { IncomingMessage } from 'node:http';

/** A request target in absolute form (RFC 9112, 3.2.2), as clients send it to a proxy. */
const ABSOLUTE = /^https?:\/\/[^/?#]*/i;

/**
 * Rewrites a request target so that the router accepts it and every request passes the same checks. In a path with
 * malformed percent-encoding each `%` is escaped, so that it matches no route.
 */
export function routableUrl({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const target = url.replace(ABSOLUTE, '');
  const rooted = target.startsWith('/') ? target : `/${target}`;
  return isDecodable(rooted) ? rooted : rooted.replaceAll('%', '%25');
}

function isDecodable(target: string): boolean {
  const path = target.split(/[?#]/, 1).join('');
  if (!path.includes('%')) return true;
  try {
    decodeURI(path);
    return true;
  } catch {
    return false;
  }
}
