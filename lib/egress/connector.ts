import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './address.ts';
import type { AllowedOrigins } from './allow-origins.ts';
import { EgressError } from './error.ts';
import { publicAddresses, type Resolve } from './resolve.ts';
import { hostProblem } from './url.ts';

const CONNECT_TIMEOUT_MS = 10_000;

export interface ConnectorOptions {
  allowed: AllowedOrigins;
  resolve: Resolve;
  /** PEM of certificate authorities to trust in place of the built-in authorities. */
  ca?: string;
  dial?: typeof buildConnector;
}

/**
 * A connector for undici that opens sockets to public addresses and allowed origins only. The name
 * is resolved once, while connecting, and only the checked addresses are dialled, so DNS rebinding
 * has no second lookup to exploit. node:net skips the lookup for IP literals, hence the check of
 * the host before and of the peer after.
 */
export function publicConnector(options: ConnectorOptions): buildConnector.connector {
  const { allowed, resolve, ca, dial = buildConnector } = options;
  const common = { timeout: CONNECT_TIMEOUT_MS, allowH2: false, ...(ca === undefined ? {} : { ca }) };
  const dialAllowed = dial(common);
  const dialPublic = dial({ ...common, autoSelectFamily: true, lookup: publicLookup(resolve) });

  return (requested, callback) => {
    const target = withServerName(requested);
    const problem = target.protocol === 'https:' ? hostProblem(target.hostname) : 'must begin with https://';
    if (allowed.has(`${target.protocol}//${target.host}`)) dialAllowed(target, callback);
    else if (problem !== undefined) callback(new EgressError('refused', `The URL ${problem}.`), null);
    else dialPublic(target, refuseNonPublicPeer(callback));
  };
}

/** SNI carries the name without its trailing dot (RFC 6066, 3). */
function withServerName(target: buildConnector.Options): buildConnector.Options {
  const { hostname } = target;
  return hostname.endsWith('.') ? { ...target, servername: hostname.slice(0, -1) } : target;
}

/**
 * Limits the bytes read from a connection, including framing: chunk extensions, for example, are
 * unbounded.
 */
export function limitBytesRead(
  connect: buildConnector.connector,
  maxBytes: number,
): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...outcome) => {
      const [error, socket] = outcome;
      if (error === null)
        socket.on('readable', () => {
          if (socket.bytesRead <= maxBytes) return;
          socket.destroy(
            new EgressError('too_large', 'The server sent more bytes than a response may have.'),
          );
        });
      callback(...outcome);
    });
}

function refuseNonPublicPeer(callback: buildConnector.Callback): buildConnector.Callback {
  return (...outcome) => {
    const [error, socket] = outcome;
    if (error !== null || isPublicAddress(socket.remoteAddress ?? '')) {
      callback(...outcome);
      return;
    }
    const cause = new Error(`connected to ${socket.remoteAddress}`);
    socket.destroy();
    callback(new EgressError('refused', 'The host is not on the public internet.', { cause }), null);
  };
}

function publicLookup(resolve: Resolve): LookupFunction {
  return (host, options, callback) => {
    publicAddresses(host, resolve).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all || first === undefined) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}
