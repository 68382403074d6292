import { isIP } from 'node:net';
import { LIMITS } from '../contract/limits.ts';
import { isPublicAddress } from './address.ts';
import type { AllowedOrigins } from './allow-origins.ts';
import { EgressError } from './error.ts';

/** Names that are never public hosts (RFC 6761, 6762, 7686, 8375, 9476 and common usage). */
const SPECIAL_USE =
  /(^|\.)(localhost|localdomain|local|internal|intranet|lan|corp|home|home\.arpa|invalid|test|onion|alt)$/;
/**
 * Ports of other protocols, which browsers do not call either (WHATWG Fetch, 2.9 "Port blocking").
 */
// biome-ignore format: a table
const OTHER_PROTOCOLS = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540,
  548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566,
  6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
const NOT_PUBLIC = 'points to a host that is not on the public internet';

/**
 * Parses a URL and checks it without a DNS lookup: https, no credentials, no port of another
 * protocol, a public IP literal or a full host name. An allowed origin is exempt from all but the
 * credentials rule.
 * @param base the URL that redirected, when `text` is a Location header
 * @throws EgressError refused
 */
export function parsePublicUrl(text: string, allowed: AllowedOrigins, base?: URL): URL {
  const subject = base === undefined ? 'The URL' : 'The URL it redirects to';
  const refuse = (problem: string) => new EgressError('refused', `${subject} ${problem}.`);
  const url = parse(text, base);
  if (url === undefined) throw refuse('is not valid');
  if (url.username !== '' || url.password !== '') throw refuse('must not contain a user name or password');
  if (allowed.has(url.origin)) return url;
  if (url.protocol !== 'https:') throw refuse('must begin with https://');
  if (OTHER_PROTOCOLS.has(Number(url.port)))
    throw refuse(`must not have the port ${url.port}, which is not for HTTP`);
  const problem = hostProblem(url.hostname);
  if (problem !== undefined) throw refuse(problem);
  return url;
}

/** Node 20 lacks URL.parse, and its URL.canParse refuses `ü` once V8 has compiled the caller. */
function parse(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/**
 * Parses a URL that is stored and shown. It must be the URL that is called. So whatever WHATWG URL
 * would silently drop or encode is refused: control characters, and white space other than around
 * it.
 * @throws EgressError refused, also when it is longer than a URL may be once it is encoded
 */
export function parseStoredUrl(text: string, allowed: AllowedOrigins): URL {
  const refuse = (problem: string) => new EgressError('refused', `The URL ${problem}.`);
  const trimmed = text.trim();
  if (/\p{Cc}/u.test(text) || /\s/.test(trimmed))
    throw refuse('must not contain white space or control characters; encode them');
  const url = parsePublicUrl(trimmed, allowed);
  if (url.href.length > LIMITS.urlLength)
    throw refuse(`is longer than ${LIMITS.urlLength} characters once it is encoded`);
  return url;
}

/**
 * Why a host must not be called, or undefined.
 * @param hostname as WHATWG URL writes it, which has normalised octal, hexadecimal, short and
 * full-width IPv4 notation
 */
export function hostProblem(hostname: string): string | undefined {
  const literal = addressOf(hostname);
  if (literal !== undefined) return isPublicAddress(literal) ? undefined : NOT_PUBLIC;
  // A trailing dot makes a name absolute (RFC 1034, 3.1). As in browsers, lookup and Host header
  // keep it.
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
