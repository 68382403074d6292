import { Type } from 'typebox';
import { ApiError } from '../../contract/errors.ts';
import { JobId } from '../../contract/schemas.ts';
import { removeImagesSoon } from '../../stores/removal.ts';
import type { ApiDeps } from '../deps.ts';
import { errorResponses, type Route } from '../operation.ts';

/** DELETE /v1/jobs/{id}: the job and its images go, the billing record stays. */
export const deleteJob: Route = (app, deps) =>
  app.delete(
    '/v1/jobs/:id',
    {
      config: { group: 'delete-job' },
      schema: {
        operationId: 'deleteJob',
        summary: 'Delete a job',
        description:
          'Removes a finished job with its results and its input. There is no refund, and a webhook not yet delivered is not sent. Copies in a content delivery network stay until they expire there.',
        params: Type.Object({ id: JobId }),
        response: {
          204: Type.Null({ description: 'The job is deleted.' }),
          ...errorResponses(['job_not_found', 'job_in_progress']),
        },
      },
    },
    async ({ caller, params }, reply) => {
      await remove(deps, caller.accountId, params.id.toLowerCase());
      return reply.code(204).send(null);
    },
  );

async function remove(deps: ApiDeps, accountId: string, jobId: string): Promise<void> {
  const { stores } = deps;
  const job = await stores.jobs.find(accountId, jobId);
  if (job?.status === 'processing')
    throw new ApiError('job_in_progress', 'The job is still processing. Delete it once it has ended.');
  // Empty as well when a concurrent request was faster: exactly one is told that it deleted the job.
  const [deleted] = job === undefined ? [] : await stores.jobs.remove([job.id]);
  if (job === undefined || deleted === undefined)
    throw new ApiError('job_not_found', 'There is no such job.');
  await Promise.all([forgetWorkflow(deps, job.workflowId), removeImagesSoon(deps, deleted.objects)]);
}

/** The workflow's history holds the job's options and URLs. What is not deleted now, the sweep deletes. */
async function forgetWorkflow({ stores, jobs }: ApiDeps, workflowId: string): Promise<void> {
  if (await jobs.deleted(workflowId)) await stores.histories.settle([workflowId]).catch(() => {});
}
