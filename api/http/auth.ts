import type { onRequestAsyncHookHandler } from 'fastify';
import { ApiError } from '../../contract/errors.ts';
import { digestApiKey, isWellFormedApiKey } from '../../domain/api-key.ts';
import type { KeyStore } from '../../stores/ports.ts';
import './request.ts';

const HEADER = 'X-Api-Key';

/** onRequest hook: authenticates requests to every route that has a rate-limit group, before the body is read. */
export function authenticate(keys: KeyStore, keyPrefix: string): onRequestAsyncHookHandler {
  return async (request) => {
    if (request.routeOptions.config.group === undefined) return;
    const apiKey = request.headers['x-api-key'];
    if (typeof apiKey !== 'string' || apiKey === '')
      throw new ApiError('invalid_api_key', `Send your API key in the ${HEADER} header.`);
    if (!isWellFormedApiKey(keyPrefix, apiKey))
      throw new ApiError(
        'invalid_api_key',
        `The ${HEADER} does not have the form of a key. Check that it is complete and sent only once.`,
      );
    const caller = await keys.findCaller(digestApiKey(apiKey));
    if (caller === undefined)
      throw new ApiError('invalid_api_key', `The ${HEADER} matches no key. Check the key.`);
    if (caller.revoked)
      throw new ApiError('key_revoked', 'The key was revoked or its account is disabled. Use another key.');
    request.caller = caller;
  };
}
