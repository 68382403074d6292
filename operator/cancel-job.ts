import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import type { JobRecord } from '../domain/records.ts';
import type { Deps } from './deps.ts';
import { Failure } from './failure.ts';
import { poll } from './poll.ts';

const CALL_TIMEOUT_MS = 10_000;
/** A renderer notices a cancellation at its next heartbeat, and one that has died after 15 s. */
const ENDED_WITHIN_MS = 30_000;

/**
 * Cancels the workflow of a job in progress, which then fails and refunds it.
 * @returns the ended job, which may have completed just before
 * @throws Failure when the job had ended before, or has not ended within 30 s
 */
export async function cancelJob(deps: Deps, jobId: string): Promise<JobRecord> {
  const { jobs } = deps.stores();
  const job = await jobs.get(jobId);
  if (job?.status !== 'processing')
    throw new Failure(`Job ${jobId} is ${job?.status ?? 'unknown'}, so there is nothing to cancel.`);
  await requestCancellation(deps, job);
  const ended = await poll(ENDED_WITHIN_MS, async () => {
    const current = await jobs.get(jobId);
    return current?.status === 'processing' ? undefined : current;
  });
  if (ended !== undefined) return ended;
  throw new Failure(
    `The cancellation of job ${jobId} was requested, but the job has not ended yet. Is a worker running?`,
  );
}

/** Temporal accepts a cancellation of a workflow that has ended, so its status is read first. */
async function requestCancellation(deps: Deps, { id, workflowId }: JobRecord): Promise<void> {
  const client = deps.temporal();
  const handle = client.workflow.getHandle(workflowId);
  await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, async () => {
    if (!(await isRunning(handle)) && (await deps.stores().jobs.get(id))?.status === 'processing')
      throw new Failure(
        `The workflow of job ${id} no longer runs. The retention run refunds the job: sweep run --wait.`,
      );
    await handle.cancel().catch(unlessNotFound);
  });
}

const isRunning = (handle: WorkflowHandle): Promise<boolean> =>
  handle.describe().then(({ status }) => status.name === 'RUNNING', unlessNotFound);

function unlessNotFound(error: unknown): false {
  if (error instanceof WorkflowNotFoundError) return false;
  throw error;
}
