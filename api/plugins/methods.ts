import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../contract/errors.ts';

/** CONNECT never gets here: its target is no path. */
const ALL = METHODS.filter((method) => method !== 'CONNECT');

/**
 * Answers 405 with Allow to every other method of the paths that are registered between this call and the plugin it
 * returns; register that one last. Such a route has no group, so no key is asked for.
 */
export function otherMethods(app: FastifyInstance): (scope: FastifyInstance) => Promise<void> {
  const taken = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = taken.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    taken.set(url, methods);
  });
  for (const method of ALL)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });

  return async (scope) => {
    for (const [url, methods] of [...taken]) {
      const allowed = [...methods].sort().join(', ');
      scope.route({
        url,
        method: ALL.filter((method) => !methods.has(method)),
        schema: { hide: true },
        handler: async ({ method }, reply) => {
          reply.header('Allow', allowed);
          throw new ApiError('method_not_allowed', `${method} is not allowed here; use ${allowed}.`);
        },
      });
    }
  };
}
