import type { IncomingMessage } from 'node:http';
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { insufficientScope, keyRevoked, missingApiKey } from '../../lib/contract/api-errors.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { hasScope } from '../../lib/contract/scopes.ts';
import { digestApiKey, isWellFormedApiKey } from '../../lib/domain/api-key.ts';
import type { KeyStore } from '../../lib/stores/key-store.ts';
import { bindLog } from './request-telemetry.ts';
import './fastify-types.ts';

/** onRequest hook: authenticates requests to every route that has a rate-limit group, before the body is read. */
export function authenticate(keys: KeyStore, keyPrefix: string): onRequestAsyncHookHandler {
  return async (request) => {
    if (request.routeOptions.config.group === undefined) return;
    const apiKey = request.headers['x-api-key'];
    if (typeof apiKey !== 'string' || apiKey === '') throw missingApiKey();
    if (!isWellFormedApiKey(keyPrefix, apiKey))
      throw new ApiError(
        'invalid_api_key',
        'The X-Api-Key does not have the form of a key. Check that it is complete and sent only once.',
      );
    const caller = await keys.findCaller(digestApiKey(apiKey));
    if (caller === undefined)
      throw new ApiError('invalid_api_key', 'The X-Api-Key matches no key. Check the key.');
    if (caller.revoked) throw keyRevoked();
    request.caller = caller;
    bindLog(request, { accountId: caller.accountId, keyId: caller.keyId });
  };
}

/** onRequest hook, after authentication: refuses a key that is limited to other scopes than the route's. */
export const checkScope: onRequestAsyncHookHandler = async ({ caller, routeOptions }) => {
  const { scope } = routeOptions.config;
  if (scope === undefined || hasScope(caller.scopes, scope)) return;
  throw insufficientScope(scope);
};

/** A request target in absolute form (RFC 9112, 3.2.2), as clients send it to a proxy. */
const ABSOLUTE = /^https?:\/\/[^/?#]*/i;

/** Most characters of each header that the service parses. Node bounds the whole head at 16 KB. */
const MAX_LENGTHS: Readonly<Record<string, number>> = {
  host: 300,
  'content-type': 256,
  'content-encoding': 256,
  'content-length': 32,
  'transfer-encoding': 256,
  expect: 256,
  'x-forwarded-for': 2000,
  'x-forwarded-host': 2000,
  'x-forwarded-proto': 256,
};

/**
 * Rewrites a request target so that the router accepts it and every request passes the same checks. In a path with
 * malformed percent-encoding each `%` is escaped, so that it matches no route.
 */
export function routableUrl({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const target = url.replace(ABSOLUTE, '');
  const rooted = target.startsWith('/') ? target : `/${target}`;
  return isDecodable(rooted) ? rooted : rooted.replaceAll('%', '%25');
}

function isDecodable(target: string): boolean {
  const path = target.split(/[?#]/, 1).join('');
  if (!path.includes('%')) return true;
  try {
    decodeURI(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * onRequest hook: checks header lengths before any value is parsed. It also requires Host, since Node's own check
 * responds without an error envelope.
 * @throws ApiError invalid_request
 */
export async function limitHeaders({ raw, headers }: FastifyRequest): Promise<void> {
  for (const [name, maxLength] of Object.entries(MAX_LENGTHS))
    if ((headers[name]?.length ?? 0) > maxLength)
      throw new ApiError('invalid_request', `The ${name} header is longer than ${maxLength} characters.`);
  if (headers.host === undefined && raw.httpVersion === '1.1')
    throw new ApiError('invalid_request', 'The Host header is missing.');
}
