import type { RouteGroup } from '../contract/limits.ts';
import type { Caller } from '../stores/records.ts';
import type { Claims } from './creation/claims.ts';
import type { BytesLease, Hold } from './hold.ts';
import type { JobBody } from './intake/body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set before the handler of every route that has a `group`. */
    caller: Caller;
    /** The body of POST /v1/jobs with its picture apart; `body` then holds the other fields. */
    jobBody: JobBody;
    /** What POST /v1/jobs holds of the budgets, from before its body is read. */
    hold: Hold;
    /** The jobs that POST /v1/jobs may be answered with; set by its handler. */
    claims?: Claims;
    /** The part of it that stands for the body. */
    bodyLease: BytesLease;
    /** Its body is neither read nor drained any more. */
    bodyGivenUp: boolean;
  }
  interface FastifyContextConfig {
    /** The route's rate-limit group; a route that has one needs a key. */
    group?: RouteGroup;
  }
}
