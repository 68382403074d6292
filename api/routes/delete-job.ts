import { Type } from 'typebox';
import { jobInProgress, jobNotFound } from '../../lib/contract/api-errors.ts';
import { JobId } from '../../lib/contract/schemas.ts';
import { deleteEndedJob } from '../../lib/domain/delete-job.ts';
import type { ApiDeps } from '../deps.ts';
import { errorResponses, type Route } from '../http/operation.ts';
import { bindJob } from '../http/request-telemetry.ts';

/** DELETE /v1/jobs/{id}: deletes the job and its images, and keeps the billing record. */
export const deleteJobRoute: Route = (app, deps) =>
  app.delete(
    '/v1/jobs/:id',
    {
      config: { group: 'delete-job', scope: 'jobs' },
      schema: {
        operationId: 'deleteJob',
        summary: 'Delete a job',
        description:
          'Deletes a finished job with its results and its input. It is not refunded, and a pending webhook is not sent. Copies in a content delivery network remain until they expire there.',
        params: Type.Object({ id: JobId }),
        response: {
          204: Type.Null({ description: 'The job is deleted.' }),
          ...errorResponses(['job_not_found', 'job_in_progress']),
        },
      },
    },
    async (request, reply) => {
      const { caller, params } = request;
      const jobId = params.id.toLowerCase();
      await remove(deps, caller.accountId, jobId);
      bindJob(request, jobId);
      return reply.code(204).send(null);
    },
  );

async function remove(deps: ApiDeps, accountId: string, jobId: string): Promise<void> {
  const job = await deps.stores.jobs.find(accountId, jobId);
  if (job?.status === 'processing') throw jobInProgress();
  const { notifyDeleted } = deps.jobGateway;
  // If a concurrent request has deleted the job, this one gets 404.
  if (job === undefined || !(await deleteEndedJob({ ...deps, notifyDeleted }, job))) throw jobNotFound();
}
