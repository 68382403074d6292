import type { onRequestAsyncHookHandler } from 'fastify';
import { insufficientScope, keyRevoked, missingApiKey } from '../../lib/contract/api-errors.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { hasScope } from '../../lib/contract/scopes.ts';
import { digestApiKey, isWellFormedApiKey } from '../../lib/domain/api-key.ts';
import type { KeyStore } from '../../lib/stores/account-store.ts';
import './fastify-types.ts';
import { bindLog } from './request-log.ts';

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
