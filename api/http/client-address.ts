import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

const V4_WITH_PORT = /^([\d.]+):\d+$/;
/** Longer than any address; a proxy may pass on any text. */
const MAX_LENGTH = 64;

/**
 * The client that an address counts as: the IPv4 address itself, or the /64 of an IPv6 address,
 * since a single customer gets a whole /64. IPv4-mapped addresses count as IPv4; a port that a
 * proxy has appended is removed.
 */
export function clientOf(address: string): string {
  const bare = (V4_WITH_PORT.exec(address)?.[1] ?? address).split('%', 1)[0] ?? '';
  // ipaddr.js also reads IPv4 in octal and short forms, and takes 70 times as long to refuse other
  // text.
  if (!isIPv6(bare)) return isIPv4(bare) ? bare : address.slice(0, MAX_LENGTH);
  const parsed = ipaddr.IPv6.parse(bare);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/**
 * The /48 of an IPv6 client, which is what one site gets: 65,536 clients. Undefined for other
 * clients.
 * @param client as {@link clientOf} returns it
 */
export function siteOf(client: string): string | undefined {
  return client.endsWith('::/64') ? `${client.split(':', 3).join(':')}::/48` : undefined;
}
