import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface GuardOptions {
  /** Origins of web pages that may send requests. Programs send none. */
  origins: readonly string[];
  /** The token that `Authorization: Bearer` must have. Undefined: none is asked for. */
  token: string | undefined;
}

export interface Refusal {
  status: 401 | 403;
  message: string;
}

const HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Why a request is refused. A web page can call a server on loopback: its origin is in `Origin`. A
 * page can also let a name of its own point to loopback (DNS rebinding): that name is in `Host`.
 */
export function refusalOf(headers: IncomingHttpHeaders, guard: GuardOptions): Refusal | undefined {
  if (!HOSTS.has(hostnameOf(headers.host))) return { status: 403, message: 'Host must be this machine.' };
  if (headers.origin !== undefined && !guard.origins.includes(headers.origin))
    return { status: 403, message: 'Origin is not in IMAGE_JOB_MCP_ORIGINS.' };
  if (guard.token !== undefined && !equal(headers.authorization ?? '', `Bearer ${guard.token}`))
    return { status: 401, message: 'Authorization must be Bearer with IMAGE_JOB_MCP_TOKEN.' };
  return undefined;
}

const hostnameOf = (host = '') => host.replace(/:\d+$/, '').toLowerCase();

/** Compares in constant time. */
function equal(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
