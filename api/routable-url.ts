import type { IncomingMessage } from 'node:http';

/** A request target in absolute form (RFC 9112, 3.2.2), as clients send it to a proxy. */
const ABSOLUTE = /^https?:\/\/[^/?#]*/i;

/**
 * The request target as the router can take it, so that every one of them goes through the same checks and is answered
 * in the envelope: a path with broken percent-encoding stands for itself, character by character, and names nothing.
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
