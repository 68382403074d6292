import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { apiDisabled, insufficientScope, keyRevoked, missingApiKey } from '../../lib/contract/api-errors.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { hasScope } from '../../lib/contract/scopes.ts';
import { digestApiKey, isWellFormedApiKey } from '../../lib/domain/api-key.ts';
import type { Caller } from '../../lib/domain/records.ts';
import type { ApiDeps } from '../deps.ts';
import { checkBodyHeaders, limitBody } from './bodies.ts';
import './fastify-types.ts';
import { removeRateLimitHeaders } from './rate-limit.ts';
import { bindLog, traceRequests } from './request-telemetry.ts';
import { SECURITY_HEADERS } from './wire.ts';

type CheckDeps = Pick<ApiDeps, 'apiSwitch' | 'rateLimits' | 'limits' | 'stores' | 'config' | 'tracing'>;

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

/** Adds the checks that run before every handler, in the order the contract requires. */
export function addChecks(app: FastifyInstance, deps: CheckDeps): void {
  app.addHook('onRequest', (request, reply) => checkAddress(deps, request, reply));
  // Not earlier, so that a client over its limit cannot fill the queue of spans.
  if (deps.tracing !== undefined) traceRequests(app, deps.tracing);
  app.addHook('onRequest', async (request, reply) => {
    checkHead(request);
    await limitBody(deps.limits, request, reply);
    if (request.routeOptions.config.group === undefined) return;
    request.caller = await authenticate(deps, request);
    await deps.rateLimits.countKey(request, reply);
    checkScope(request);
    checkBodyHeaders(request, reply);
  });
}

/**
 * @throws ApiError api_disabled while the API is switched off, rate_limited when the address is
 * over its limit
 */
async function checkAddress(
  { apiSwitch, rateLimits }: CheckDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  // Caches do not treat X-Api-Key as a credential, so nothing may be cached. The /docs pages allow
  // it again.
  reply.headers({ 'X-Request-Id': request.id, 'Cache-Control': 'no-store', ...SECURITY_HEADERS });
  const disabled = !apiSwitch.enabled() && !request.routeOptions.config.probe;
  // Counts also while the API is off. A rejection closes the connection, which ends a flood.
  await rateLimits.countClient(request, reply).catch((error: unknown) => {
    if (!disabled) throw error;
  });
  if (!disabled) return;
  removeRateLimitHeaders(reply);
  throw apiDisabled();
}

/** @throws ApiError invalid_api_key, key_revoked */
async function authenticate({ stores, config }: CheckDeps, request: FastifyRequest): Promise<Caller> {
  const apiKey = request.headers['x-api-key'];
  if (typeof apiKey !== 'string' || apiKey === '') throw missingApiKey();
  if (!isWellFormedApiKey(config.keyPrefix, apiKey))
    throw new ApiError(
      'invalid_api_key',
      'The X-Api-Key does not have the form of a key. Check that it is complete and sent only once.',
    );
  const caller = await stores.keys.findCaller(digestApiKey(apiKey));
  if (caller === undefined)
    throw new ApiError('invalid_api_key', 'The X-Api-Key matches no key. Check the key.');
  if (caller.revoked) throw keyRevoked();
  bindLog(request, { accountId: caller.accountId, keyId: caller.keyId });
  return caller;
}

/**
 * Refuses a key that is limited to other scopes than the route's.
 * @throws ApiError insufficient_scope
 */
function checkScope({ caller, routeOptions }: FastifyRequest): void {
  const { scope } = routeOptions.config;
  if (scope !== undefined && !hasScope(caller.scopes, scope)) throw insufficientScope(scope);
}

/**
 * Checks header lengths before any value is parsed. It also requires Host, since Node's own check
 * responds without an error envelope.
 */
function checkHead({ raw, headers }: FastifyRequest): void {
  for (const [name, maxLength] of Object.entries(MAX_LENGTHS))
    if ((headers[name]?.length ?? 0) > maxLength)
      throw new ApiError('invalid_request', `The ${name} header is longer than ${maxLength} characters.`);
  if (headers.host === undefined && raw.httpVersion === '1.1')
    throw new ApiError('invalid_request', 'The Host header is missing.');
}

/**
 * Rewrites a request target so that the router accepts it and every request passes the same checks.
 * In a path with malformed percent-encoding each `%` is escaped, so that it matches no route.
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
