import { deleteEndedJob } from '../lib/domain/delete-job.ts';
import { CANCELLED_JOB } from '../lib/domain/job-errors.ts';
import type { JobRecord } from '../lib/domain/records.ts';
import { signalOrDelete, signalSoon } from '../lib/process/temporal-client.ts';
import { deletedSignal, stopSignal } from '../lib/protocol/job.ts';
import type { Deps } from './deps.ts';
import { CommandFailed } from './errors.ts';

/**
 * Fails and refunds a job in progress, and then stops its render. The job ends in MongoDB, because
 * its workflow waits for the renderer, which may be dead. If the signal is lost, the render stops
 * when it finds that the job has ended.
 * @returns the failed job
 * @throws CommandFailed when the job has ended in another way
 */
export async function cancelOneJob(deps: Deps, jobId: string): Promise<JobRecord> {
  const { jobs } = deps.stores();
  const job = await jobs.get(jobId);
  if (job?.status !== 'processing')
    throw new CommandFailed(`Job ${jobId} is ${job?.status ?? 'unknown'}, so there is nothing to cancel.`);
  const { job: ended } = await jobs.fail(jobId, { ...CANCELLED_JOB, processingMs: null });
  if (ended.status !== 'failed')
    throw new CommandFailed(
      `Job ${jobId} was ${ended.status} before it could be cancelled. It is not refunded.`,
    );
  await signalSoon(deps.temporal(), job.workflowId, stopSignal.name, jobId);
  return ended;
}

/**
 * Deletes an ended job of any account.
 * @returns its billing record
 * @throws CommandFailed when it has not ended, or is deleted already
 */
export async function deleteOneJob(deps: Deps, jobId: string): Promise<JobRecord> {
  const stores = deps.stores();
  const job = await findJob(deps, jobId);
  if (job.status === 'processing')
    throw new CommandFailed(`Job ${jobId} is in progress. Cancel it first: job cancel ${jobId}.`);
  const notifyDeleted = (workflowId: string) =>
    signalOrDelete(deps.temporal(), workflowId, deletedSignal.name);
  const isDeleted = await deleteEndedJob({ stores, images: deps.images(), notifyDeleted }, job);
  if (!isDeleted) throw new CommandFailed(`Job ${jobId} is already deleted.`);
  return (await stores.jobs.get(jobId)) ?? job;
}

/** A job of any account, deleted ones included. @throws CommandFailed */
export async function findJob(deps: Deps, jobId: string): Promise<JobRecord> {
  const job = await deps.stores().jobs.get(jobId);
  if (job === undefined) throw new CommandFailed(`There is no job ${jobId}.`);
  return job;
}
