import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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
      const refuse = async ({ method }: FastifyRequest, reply: FastifyReply) => {
        reply.header('Allow', allowed);
        throw new ApiError('method_not_allowed', `${method} is not allowed here; use ${allowed}.`);
      };
      scope.route({
        url,
        method: ALL.filter((method) => !methods.has(method)),
        schema: { hide: true },
        // Ahead of Fastify's own look at the body, which asks QUERY for a Content-Type.
        onRequest: refuse,
        handler: refuse,
      });
    }
  };
}
