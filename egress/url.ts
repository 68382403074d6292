import { isIP } from 'node:net';
import { isPublicAddress } from './address.ts';
import type { AllowedOrigins } from './allow-origins.ts';
import { EgressError } from './error.ts';

/** Names that are never public hosts (RFC 6761, 6762, 7686, 8375, 9476 and common usage). */
const SPECIAL_USE =
  /(^|\.)(localhost|localdomain|local|internal|intranet|lan|corp|home|home\.arpa|invalid|test|onion|alt)$/;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
const NOT_PUBLIC = 'points to a host that is not on the public internet';

/**
 * Parses a URL and checks it without a DNS lookup: https, no credentials, a public IP literal or a full host name.
 * An allowed origin is exempt from all but the credentials rule.
 * @param base the URL that redirected, when `text` is a Location header
 * @throws EgressError refused
 */
export function parsePublicUrl(text: string, allowed: AllowedOrigins, base?: URL): URL {
  const subject = base === undefined ? 'The URL' : 'The URL it redirects to';
  const refuse = (problem: string) => new EgressError('refused', `${subject} ${problem}.`);
  // Node 20 does not have URL.parse.
  if (!URL.canParse(text, base?.href)) throw refuse('is not valid');
  const url = new URL(text, base);
  if (url.username !== '' || url.password !== '') throw refuse('must not contain a user name or password');
  if (allowed.has(url.origin)) return url;
  if (url.protocol !== 'https:') throw refuse('must begin with https://');
  const problem = hostProblem(url.hostname);
  if (problem !== undefined) throw refuse(problem);
  return url;
}

/**
 * Why a host must not be called, or undefined.
 * @param hostname as WHATWG URL writes it, which has normalised octal, hexadecimal, short and full-width IPv4 notation
 */
export function hostProblem(hostname: string): string | undefined {
  const literal = addressOf(hostname);
  if (literal !== undefined) return isPublicAddress(literal) ? undefined : NOT_PUBLIC;
  // A trailing dot makes a name absolute (RFC 1034, 3.1). As in browsers, lookup and Host header keep it.
  const name = hostname.replace(/\.$/, '');
  if (SPECIAL_USE.test(name)) return NOT_PUBLIC;
  const labels = name.split('.');
  if (labels.length < 2) return 'needs a full host name with a domain';
  if (name.length > 253 || !labels.every((label) => LABEL.test(label)))
    return 'has a host name that is not valid';
  return undefined;
}

/** The address when the host is an IP literal, without the brackets of IPv6. */
export function addressOf(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? undefined : bare;
}
