import type { RouteGroup } from '../contract/limits.ts';
import type { Caller } from '../stores/records.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set before the handler of every route that has a `group`. */
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** The route's rate-limit group; a route that has one needs a key. */
    group?: RouteGroup;
  }
}
