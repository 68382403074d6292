import type { FastifyInstance } from 'fastify';
import { routeNotFound } from '../../lib/contract/api-errors.ts';
import { accepts } from './content.ts';

const HIDDEN = { schema: { hide: true } };

/** Leads from the base URL to the docs, and from `/` if the client is a browser: any other gets the error of the API. */
export function registerRedirects(app: FastifyInstance, prefix: string, base: string): void {
  app.get(prefix, HIDDEN, async (_request, reply) => reply.redirect(base));
  app.get('/', HIDDEN, async ({ method, headers }, reply) => {
    reply.header('Vary', 'Accept');
    if (!accepts(headers.accept ?? '', 'text/html')) throw routeNotFound(method, '/');
    return reply.redirect(base);
  });
}
