import { CANCELLED_JOB } from '../lib/domain/job-errors.ts';
import type { JobRecord } from '../lib/domain/records.ts';
import { signalSoon } from '../lib/process/temporal-client.ts';
import { stopSignal } from '../lib/protocol/job.ts';
import type { Deps } from './deps.ts';
import { Failure } from './failure.ts';

/**
 * Fails and refunds a job in progress, and then stops its render. The job ends in MongoDB, because
 * its workflow waits for the renderer, which may be dead. If the signal is lost, the render stops
 * when it finds that the job has ended.
 * @returns the failed job
 * @throws Failure when the job has ended in another way
 */
export async function cancelJob(deps: Deps, jobId: string): Promise<JobRecord> {
  const { jobs } = deps.stores();
  const job = await jobs.get(jobId);
  if (job?.status !== 'processing')
    throw new Failure(`Job ${jobId} is ${job?.status ?? 'unknown'}, so there is nothing to cancel.`);
  const { job: ended } = await jobs.fail(jobId, { ...CANCELLED_JOB, processingMs: null });
  if (ended.status !== 'failed')
    throw new Failure(`Job ${jobId} was ${ended.status} before it could be cancelled. It is not refunded.`);
  await signalSoon(deps.temporal(), job.workflowId, stopSignal.name, jobId);
  return ended;
}
