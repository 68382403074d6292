import { isIP, isIPv4 } from 'node:net';

/** The ranges that Fastify knows by name. */
const NAMED = ['loopback', 'linklocal', 'uniquelocal'];

/** Problems with TRUST_PROXY, a line each. A number of hops, or a list of addresses and ranges. */
export function trustProxyProblems(entries: readonly string[]): string[] {
  const [first = ''] = entries;
  if (entries.length === 1 && /^\d+$/.test(first)) return [];
  return entries
    .filter((entry) => !NAMED.includes(entry) && !isRange(entry))
    .map(
      (entry) =>
        `TRUST_PROXY: ${JSON.stringify(entry)} is no address or range such as 10.0.0.0/8, ` +
        `no number of hops, and none of ${NAMED.join(', ')}`,
    );
}

function isRange(entry: string): boolean {
  const [address = '', length, ...others] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || others.length > 0) return false;
  if (length === undefined) return true;
  const most = version === 4 ? 32 : 128;
  const isLength = /^\d{1,3}$/.test(length) && Number(length) >= 1 && Number(length) <= most;
  return isLength || (version === 4 && isNetmask(length));
}

/** Ones, and then zeros. */
function isNetmask(text: string): boolean {
  if (!isIPv4(text)) return false;
  const bits = text.split('.').map((part) => Number(part).toString(2).padStart(8, '0'));
  return /^1+0*$/.test(bits.join(''));
}
