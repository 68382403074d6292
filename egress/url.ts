import { isIP } from 'node:net';
import { isPublicAddress } from './address.ts';
import type { AllowedOrigins } from './allow-origins.ts';
import { EgressError } from './error.ts';

/** Names that never belong to a host of the public internet (RFC 6761, 6762, 7686, 8375, 9476 and common usage). */
const SPECIAL_USE =
  /(^|\.)(localhost|localdomain|local|internal|intranet|lan|corp|home|home\.arpa|invalid|test|onion|alt)$/;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
const NOT_PUBLIC = 'points to a host that is not on the public internet';

/**
 * Parses and checks a URL without any look-up: https, no credentials, a public IP literal or a full host name.
 * With `base` the text is a redirect's Location. An allowed origin is excused from all but the credentials rule.
 * Throws EgressError `refused`.
 */
export function parsePublicUrl(text: string, allowed: AllowedOrigins, base?: URL): URL {
  const subject = base === undefined ? 'The URL' : 'The URL it redirects to';
  const refuse = (problem: string) => new EgressError('refused', `${subject} ${problem}.`);
  // Not URL.parse, which Node 20 does not have.
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
 * Why a host as WHATWG URL spells it may not be reached, or undefined. By then every notation of an IPv4 address,
 * octal, hexadecimal, short or in full-width digits, has become four decimal numbers.
 */
export function hostProblem(hostname: string): string | undefined {
  const literal = addressOf(hostname);
  if (literal !== undefined) return isPublicAddress(literal) ? undefined : NOT_PUBLIC;
  // One dot at the end makes a name absolute (RFC 1034, 3.1); it is called and looked up with it, as browsers do.
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
