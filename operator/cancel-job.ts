import { WorkflowNotFoundError } from '@temporalio/client';
import type { JobRecord } from '../domain/records.ts';
import { stopSignal } from '../protocol/job.ts';
import type { Deps } from './deps.ts';
import { Failure } from './failure.ts';
import { poll } from './poll.ts';

const CALL_TIMEOUT_MS = 10_000;
/** A renderer notices a cancellation at its next heartbeat, and one that has died after 15 s. */
const ENDED_WITHIN_MS = 30_000;

/**
 * Stops a job in progress, which fails it and refunds it.
 * @returns the failed job
 * @throws Failure when the job has ended in another way, or has not ended within 30 s
 */
export async function cancelJob(deps: Deps, jobId: string): Promise<JobRecord> {
  const { jobs } = deps.stores();
  const job = await jobs.get(jobId);
  if (job?.status !== 'processing')
    throw new Failure(`Job ${jobId} is ${job?.status ?? 'unknown'}, so there is nothing to cancel.`);
  await stop(deps, job);
  const ended = await poll(ENDED_WITHIN_MS, async () => {
    const current = await jobs.get(jobId);
    return current?.status === 'processing' ? undefined : current;
  });
  if (ended?.status === 'failed') return ended;
  if (ended !== undefined)
    throw new Failure(`Job ${jobId} was ${ended.status} before it could be cancelled. It is not refunded.`);
  throw new Failure(
    `The cancellation of job ${jobId} was requested, but the job has not ended yet. Is a worker running?`,
  );
}

/** The job may also have ended meanwhile, which its state in MongoDB then shows. */
async function stop(deps: Deps, { id, workflowId }: JobRecord): Promise<void> {
  const client = deps.temporal();
  try {
    await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
      client.workflow.getHandle(workflowId).signal(stopSignal, id),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    if ((await deps.stores().jobs.get(id))?.status === 'processing')
      throw new Failure(
        `The workflow of job ${id} no longer runs. The retention run refunds the job: sweep run --wait.`,
      );
  }
}
