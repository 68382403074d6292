import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isPublicAddress } from './address.ts';
import { EgressError } from './error.ts';

/** Returns every address of a host name; rejects when there is none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/**
 * Most addresses dialled for one name. The others are only checked, so that a name cannot cause
 * many attempts.
 */
const MAX_DIALLED = 6;

/**
 * Queries DNS directly. getaddrinfo would read the hosts file, append search domains, and let a
 * slow name server block the thread pool that file system and crypto calls share.
 * @param servers name servers; the system's by default
 */
export function dnsResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 1500, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return async (host) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    return [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ];
  };
}

/**
 * The addresses to dial. One address that is not public refuses the name.
 * @throws EgressError unresolved, refused
 */
export async function publicAddresses(host: string, resolve: Resolve): Promise<LookupAddress[]> {
  const addresses = await resolve(host).catch((cause: unknown) => {
    throw unresolved(host, cause);
  });
  if (addresses.length === 0) throw unresolved(host);
  const nonPublic = addresses.find(({ address }) => !isPublicAddress(address));
  if (nonPublic !== undefined)
    throw new EgressError('refused', `The host ${host} is not on the public internet.`, {
      cause: new Error(`${host} resolves to ${nonPublic.address}`),
    });
  return addresses.slice(0, MAX_DIALLED);
}

const unresolved = (host: string, cause?: unknown) =>
  new EgressError('unresolved', `The host ${host} was not found in DNS.`, { cause });
