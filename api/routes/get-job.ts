import { Type } from 'typebox';
import { jobNotFound } from '../../contract/api-errors.ts';
import { Job, JobId } from '../../contract/schemas.ts';
import { presentJob } from '../../domain/present.ts';
import type { ApiDeps } from '../deps.ts';
import type { Route } from '../http/operation.ts';
import { errorResponses } from '../http/operation.ts';
import { bindJob } from '../http/request-log.ts';

/** GET /v1/jobs/{id}: the current state of a job. */
export const getJob: Route = (app, { stores, images }: ApiDeps) =>
  app.get(
    '/v1/jobs/:id',
    {
      config: { group: 'read-job', scope: 'jobs' },
      schema: {
        operationId: 'getJob',
        summary: 'Read a job',
        description: 'Poll every 2 to 5 seconds until the status is `completed` or `failed`.',
        params: Type.Object({ id: JobId }),
        response: { 200: Job, ...errorResponses(['job_not_found']) },
      },
    },
    async (request) => {
      // UUIDs are written in lower case and read in either case (RFC 9562, section 4).
      const job = await stores.jobs.find(request.caller.accountId, request.params.id.toLowerCase());
      if (job === undefined) throw jobNotFound();
      bindJob(request, job.id);
      return presentJob(job, images);
    },
  );
