import { patched, sleep } from '@temporalio/workflow';
import type { JobInput, JobResult } from '../../../../lib/protocol/job.ts';
import { jobWorkflow as unchanged } from '../../../../workflows/job.ts';

/** The job's workflow with the new timer of `changed`, behind a patch. */
export async function jobWorkflow(input: JobInput): Promise<JobResult> {
  if (patched('example')) await sleep('1 s');
  return unchanged(input);
}
