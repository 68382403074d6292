import { isIPv4, isIPv6 } from 'node:net';

const V4_WITH_PORT = /^([\d.]+):\d+$/;
/** No address is longer; what a proxy passes on may be anything. */
const LONGEST = 64;

/**
 * What one client counts as: an IPv4 address, or the /64 of an IPv6 one, because that is what a single customer gets
 * and can roam in at will. IPv4-mapped addresses count as IPv4; ports that some proxies append are dropped.
 */
export function clientOf(address: string): string {
  const bare = (V4_WITH_PORT.exec(address)?.[1] ?? address).split('%', 1)[0] ?? '';
  if (!isIPv6(bare)) return isIPv4(bare) ? bare : address.slice(0, LONGEST);
  const groups = groupsOf(bare);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/**
 * The /48 of an IPv6 address, what one site gets: 65,536 clients as {@link clientOf} counts them. Nothing for the rest.
 * @param client as `clientOf` gives it
 */
export function siteOf(client: string): string | undefined {
  return client.endsWith('::/64') ? `${client.split(':', 3).join(':')}::/48` : undefined;
}

/** The eight groups of an IPv6 address; the URL parser writes every notation in one way. */
function groupsOf(address: string): number[] {
  const [before = '', after = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::', 2);
  const head = numbers(before);
  const tail = numbers(after);
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

const numbers = (text: string) =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
