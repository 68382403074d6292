import { isIPv4, isIPv6 } from 'node:net';

const V4_WITH_PORT = /^([\d.]+):\d+$/;
/** Longer than any address; a proxy may pass on any text. */
const MAX_LENGTH = 64;

/**
 * The client that an address counts as: the IPv4 address itself, or the /64 of an IPv6 address, since a single customer
 * gets a whole /64. IPv4-mapped addresses count as IPv4; a port that a proxy has appended is removed.
 */
export function clientOf(address: string): string {
  const bare = (V4_WITH_PORT.exec(address)?.[1] ?? address).split('%', 1)[0] ?? '';
  if (!isIPv6(bare)) return isIPv4(bare) ? bare : address.slice(0, MAX_LENGTH);
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
 * The /48 of an IPv6 client, which is what one site gets: 65,536 clients. Undefined for other clients.
 * @param client as {@link clientOf} returns it
 */
export function siteOf(client: string): string | undefined {
  return client.endsWith('::/64') ? `${client.split(':', 3).join(':')}::/48` : undefined;
}

/** The eight groups of an IPv6 address. The URL parser normalises its notation. */
function groupsOf(address: string): number[] {
  const [before = '', after = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::', 2);
  const head = numbers(before);
  const tail = numbers(after);
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

const numbers = (text: string) =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
