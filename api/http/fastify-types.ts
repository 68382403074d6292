import type { RouteGroup } from '../../lib/contract/limits.ts';
import type { Scope } from '../../lib/contract/scopes.ts';
import type { Caller } from '../../lib/domain/records.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the handler of every route that has a `group`. */
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** The route's rate-limit group; a route that has one needs a key. */
    group?: RouteGroup;
    /** The scope that a limited key must have. Undefined if the route serves every key. */
    scope?: Scope;
    /**
     * Reads a JSON body of at most this many bytes, with a key or without. POST /v1/jobs has limits
     * of its own.
     */
    bodyBytes?: number;
    /** Answered whatever the state of the API; neither logged, counted nor traced. */
    probe?: true;
    /** How long a successful response streams at most, in milliseconds. */
    streamMs?: number;
  }
}
