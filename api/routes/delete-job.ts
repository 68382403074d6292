import { Type } from 'typebox';
import { jobInProgress, jobNotFound } from '../../contract/api-errors.ts';
import { JobId } from '../../contract/schemas.ts';
import { removeImagesSoon } from '../../domain/remove-images.ts';
import type { ApiDeps } from '../deps.ts';
import { errorResponses, type Route } from '../http/operation.ts';

/** DELETE /v1/jobs/{id}: deletes the job and its images, and keeps the billing record. */
export const deleteJob: Route = (app, deps) =>
  app.delete(
    '/v1/jobs/:id',
    {
      config: { group: 'delete-job' },
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
    async ({ caller, params }, reply) => {
      await remove(deps, caller.accountId, params.id.toLowerCase());
      return reply.code(204).send(null);
    },
  );

async function remove(deps: ApiDeps, accountId: string, jobId: string): Promise<void> {
  const { stores } = deps;
  const job = await stores.jobs.find(accountId, jobId);
  if (job?.status === 'processing') throw jobInProgress();
  // Empty if a concurrent request has deleted the job: exactly one request gets 204.
  const [deleted] = job === undefined ? [] : await stores.jobs.remove([job.id]);
  if (job === undefined || deleted === undefined) throw jobNotFound();
  await Promise.all([deleteHistory(deps, job.workflowId), removeImagesSoon(deps, deleted.objects)]);
}

/** The workflow's history contains the job's options and URLs. If this fails, the retention run deletes it. */
async function deleteHistory({ stores, jobGateway }: ApiDeps, workflowId: string): Promise<void> {
  if (await jobGateway.notifyDeleted(workflowId))
    await stores.histories.markDeleted([workflowId]).catch(() => {});
}
