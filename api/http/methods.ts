import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { wrongMethod } from '../../lib/contract/api-errors.ts';

/** Without CONNECT, whose target is not a path. */
const ALL = METHODS.filter((method) => method !== 'CONNECT');

/**
 * Responds 405 with Allow to every other method of the paths registered after this call.
 * @returns a plugin to register after all routes. Its routes have no rate-limit group and need no
 * key.
 */
export function rejectOtherMethods(app: FastifyInstance): (scope: FastifyInstance) => Promise<void> {
  const registered = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = registered.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    registered.set(url, methods);
  });
  for (const method of ALL)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });

  return async (scope) => {
    for (const [url, methods] of [...registered]) {
      const allowed = [...methods].sort().join(', ');
      const reject = async ({ method }: FastifyRequest, reply: FastifyReply) => {
        reply.header('Allow', allowed);
        throw wrongMethod(method, allowed);
      };
      scope.route({
        url,
        method: ALL.filter((method) => !methods.has(method)),
        schema: { hide: true },
        // Before Fastify's body checks, which require a Content-Type of QUERY.
        onRequest: reject,
        handler: reject,
      });
    }
  };
}
