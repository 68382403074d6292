import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isPublicAddress } from './address.ts';
import { EgressError } from './error.ts';

/** Answers every address of a host name; rejects when there is none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** More addresses than this are checked but not dialled, so that one name cannot make us knock at hundreds. */
const DIALLED = 6;

/**
 * Asks the DNS itself. getaddrinfo would read the hosts file, append search domains, and let a slow name server
 * hold the few threads that file system and crypto share. The name servers are the system's unless given.
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

/** The addresses to dial. One answer that is not public refuses the name. Throws `unresolved` or `refused`. */
export async function publicAddresses(host: string, resolve: Resolve): Promise<LookupAddress[]> {
  const answers = await resolve(host).catch((cause: unknown) => {
    throw unresolved(host, cause);
  });
  if (answers.length === 0) throw unresolved(host);
  const inner = answers.find(({ address }) => !isPublicAddress(address));
  if (inner !== undefined)
    throw new EgressError('refused', `The host ${host} is not on the public internet.`, {
      cause: new Error(`${host} resolves to ${inner.address}`),
    });
  return answers.slice(0, DIALLED);
}

const unresolved = (host: string, cause?: unknown) =>
  new EgressError('unresolved', `The host ${host} was not found in the DNS.`, { cause });
