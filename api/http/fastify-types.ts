import type { RouteGroup } from '../../lib/contract/limits.ts';
import type { Scope } from '../../lib/contract/scopes.ts';
import type { Caller } from '../../lib/domain/records.ts';
import type { BytesLease, RequestHold } from '../admission/request-permits.ts';
import type { JobBody } from '../intake/job-body.ts';
import type { Compensations } from '../jobs/voids.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the handler of every route that has a `group`. */
    caller: Caller;
    /** The body of POST /v1/jobs with its image separated; `body` holds the other fields. */
    jobBody: JobBody;
    /** Limit leases of POST /v1/jobs, from before its body is read. */
    hold: RequestHold;
    /** What to void if POST /v1/jobs ends in 5xx; set by its handler. */
    compensations?: Compensations;
    /** The lease for the bytes of the body. */
    bodyLease: BytesLease;
    /** The job that the request is about, once it is known. */
    jobId?: string;
    /** Waits, or has waited, for a job to end. */
    waits?: boolean;
    /** The body is neither read nor drained any further. */
    bodyAbandoned: boolean;
    /** Over a limit of its address, and not the first in the window: it is not logged. */
    unlogged?: boolean;
  }
  interface FastifyContextConfig {
    /** The route's rate-limit group; a route that has one needs a key. */
    group?: RouteGroup;
    /** What a key that is limited to scopes must have; none where the route serves every key. */
    scope?: Scope;
    /** Reads a JSON body of at most this many bytes, with a key or without. POST /v1/jobs has limits of its own. */
    bodyBytes?: number;
    /** Answered whatever the state of the API; neither logged, counted nor traced. */
    probe?: true;
    /** How long a successful response streams at most, in milliseconds. */
    streamMs?: number;
  }
}
