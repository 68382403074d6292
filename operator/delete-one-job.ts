import { deleteJob } from '../lib/domain/delete-job.ts';
import type { JobRecord } from '../lib/domain/records.ts';
import { signalOrDelete } from '../lib/process/temporal-client.ts';
import { deletedSignal } from '../lib/protocol/job.ts';
import type { Deps } from './deps.ts';
import { Failure } from './failure.ts';
import { findJob } from './find.ts';

/**
 * Deletes an ended job of any account.
 * @returns its billing record
 * @throws Failure when it has not ended, or is deleted already
 */
export async function deleteOneJob(deps: Deps, jobId: string): Promise<JobRecord> {
  const stores = deps.stores();
  const job = await findJob(deps, jobId);
  if (job.status === 'processing')
    throw new Failure(`Job ${jobId} is in progress. Cancel it first: job cancel ${jobId}.`);
  const notifyDeleted = (workflowId: string) =>
    signalOrDelete(deps.temporal(), workflowId, deletedSignal.name);
  const isDeleted = await deleteJob({ stores, images: deps.images(), notifyDeleted }, job);
  if (!isDeleted) throw new Failure(`Job ${jobId} is already deleted.`);
  return (await stores.jobs.get(jobId)) ?? job;
}
