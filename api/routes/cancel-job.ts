import { Type } from 'typebox';
import { jobBegun, jobNotFound } from '../../lib/contract/api-errors.ts';
import { Job, JobId } from '../../lib/contract/schemas.ts';
import { CANCELLED_JOB } from '../../lib/domain/job-errors.ts';
import { presentJob } from '../../lib/domain/present.ts';
import type { JobRecord } from '../../lib/domain/records.ts';
import type { ApiDeps } from '../deps.ts';
import { errorResponses, type Route } from '../http/operation.ts';
import { bindJob } from '../http/request-telemetry.ts';

/** POST /v1/jobs/{id}/cancel: fails and refunds a job that no generator was asked to render. */
export const cancelJobRoute: Route = (app, deps) =>
  app.post(
    '/v1/jobs/:id/cancel',
    {
      config: { group: 'delete-job', scope: 'jobs' },
      schema: {
        operationId: 'cancelJob',
        summary: 'Cancel a job',
        description:
          'While no generator was asked to render it, the job fails with the reason `cancelled` and is refunded. Later it gets 409 `job_in_progress`. A job that has ended is returned as it is, so the request can be repeated. Takes no body. A cancelled job counts towards the failed jobs that an account may have in an hour.',
        params: Type.Object({ id: JobId }),
        response: { 200: Job, ...errorResponses(['job_not_found', 'job_in_progress']) },
      },
    },
    async (request) => {
      const job = await cancel(deps, request.caller.accountId, request.params.id.toLowerCase());
      bindJob(request, job.id);
      return presentJob(job, deps.images);
    },
  );

async function cancel({ stores, jobGateway }: ApiDeps, accountId: string, jobId: string): Promise<JobRecord> {
  const outcome = await stores.jobs.cancel(accountId, jobId, { ...CANCELLED_JOB, processingMs: null });
  if (outcome === undefined) throw jobNotFound();
  if (outcome === 'begun') throw jobBegun();
  const { job, cancelled } = outcome;
  if (cancelled) await jobGateway.notifyCancelled(job);
  return job;
}
