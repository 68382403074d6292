import { Type } from 'typebox';
import { jobNotFound, keyRevoked } from '../../lib/contract/api-errors.ts';
import { Job, JobId } from '../../lib/contract/schemas.ts';
import { presentJob } from '../../lib/domain/present.ts';
import type { Route } from '../http/operation.ts';
import { errorResponses } from '../http/operation.ts';
import { bindJob } from '../http/request-telemetry.ts';
import { findBrief, PreferHeader, preferredWait, untilEnded } from '../waiting/prefer.ts';

/**
 * GET /v1/jobs/{id}: the current state of a job. With `Prefer: wait` it waits for the end of the
 * job.
 */
export const getJobRoute: Route = (app, { stores, images, waiters, usualTimes }) =>
  app.get(
    '/v1/jobs/:id',
    {
      config: { group: 'read-job', scope: 'jobs' },
      schema: {
        operationId: 'getJob',
        summary: 'Read a job',
        description:
          'Poll every 2 to 5 seconds until the status is `completed` or `failed`, or send `Prefer: wait=30` to be answered as soon as it is.',
        params: Type.Object({ id: JobId }),
        headers: PreferHeader,
        response: { 200: Job, ...errorResponses(['job_not_found']) },
      },
    },
    async (request, reply) => {
      const { accountId, keyId } = request.caller;
      const { prefer } = request.headers;
      // UUIDs are written in lower case and read in either case (RFC 9562, section 4).
      const jobId = request.params.id.toLowerCase();
      const seconds = preferredWait(prefer);
      const isRevoked = () => stores.keys.isRevoked(keyId);
      const waiting = { accountId, jobId, response: reply.raw, isRevoked };
      const waiter = seconds && (await waiters.register('prefer', waiting));
      const found = await findBrief(stores.jobs, accountId, jobId);
      if (found === undefined) throw jobNotFound();
      bindJob(request, jobId);
      const job = waiter ? await untilEnded(waiter, found, seconds) : found;
      if (job === 'revoked') throw keyRevoked();
      usualTimes.saw(job);
      if (waiter) reply.header('Preference-Applied', `wait=${seconds}`);
      // Without the header, the contract allows Retry-After with 429 only.
      if (prefer !== undefined && job.status === 'processing')
        reply.header('Retry-After', usualTimes.retryAfter(job));
      return presentJob(job, images);
    },
  );
