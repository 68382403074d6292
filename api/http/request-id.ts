import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

/** The client's X-Request-Id if it is well-formed and contains no API key, since it is logged; else a new one. */
export function requestId(keyPrefix: string) {
  return (request: IncomingMessage): string => {
    const sent = request.headers['x-request-id'];
    const usable = typeof sent === 'string' && WELL_FORMED.test(sent) && !sent.includes(keyPrefix);
    return usable ? sent : randomUUID();
  };
}
