import { sleep } from '@temporalio/workflow';
import { jobWorkflow as unchanged } from '../../../workflows/job.ts';
import type { JobInput, JobOutcome } from '../../../workflows/messages.ts';

/** The job's workflow as somebody may change it who forgets those that are under way: a timer before all else. */
export async function jobWorkflow(input: JobInput): Promise<JobOutcome> {
  await sleep('1 s');
  return unchanged(input);
}
