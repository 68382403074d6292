import type { onRequestAsyncHookHandler } from 'fastify';
import { digestApiKey, isWellFormedApiKey } from '../../contract/api-key.ts';
import { ApiError } from '../../contract/errors.ts';
import type { KeyStore } from '../../stores/ports.ts';
import '../request.ts';

const HEADER = 'X-Api-Key';

/** Identifies the caller of every route that has a rate-limit group, before its body is read. */
export function authenticate(keys: KeyStore, keyPrefix: string): onRequestAsyncHookHandler {
  return async (request) => {
    if (request.routeOptions.config.group === undefined) return;
    const apiKey = request.headers['x-api-key'];
    if (typeof apiKey !== 'string' || apiKey === '')
      throw new ApiError('invalid_api_key', `Send your API key in the ${HEADER} header.`);
    if (!isWellFormedApiKey(keyPrefix, apiKey))
      throw new ApiError(
        'invalid_api_key',
        `The ${HEADER} is mistyped, cut off or sent twice: it does not have the form of a key.`,
      );
    const caller = await keys.findCaller(digestApiKey(apiKey));
    if (caller === undefined) throw new ApiError('invalid_api_key', `The ${HEADER} matches no key.`);
    if (caller.revoked)
      throw new ApiError('key_revoked', 'The key was revoked or its account is disabled. Use another key.');
    request.caller = caller;
  };
}
