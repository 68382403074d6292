import { BlockList, isIP } from 'node:net';

// Not ipaddr.js: it calls 168.63.129.16, ::a9fe:a9fe (IPv4-compatible), 100:0:0:1::1 and 4000::1
// unicast. Here IPv6 is denied unless it is known to be public.

/**
 * IANA's IPv4 special-purpose registry, multicast, and Azure's WireServer (168.63.129.16), a public
 * address.
 */
const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * Special blocks within 2000::/3: protocol assignments (Teredo among them), documentation, 6to4,
 * AS112.
 */
const SPECIAL_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const specialIpv4 = blockList(SPECIAL_IPV4, 'ipv4');
const specialIpv6 = blockList(SPECIAL_IPV6, 'ipv6');
const globalIpv6 = blockList([['2000::', 3]], 'ipv6');

/**
 * Whether an address is on the public internet. IPv6 is denied except for 2000::/3, so IPv4-mapped,
 * IPv4-compatible and NAT64 addresses never pass. Text that is not a plain address, or has a zone
 * id, is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false;
  switch (isIP(address)) {
    case 4:
      return !specialIpv4.check(address, 'ipv4');
    case 6:
      return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
    default:
      return false;
  }
}

function blockList(blocks: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of blocks) list.addSubnet(network, prefix, family);
  return list;
}
