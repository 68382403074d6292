import { sleep } from '@temporalio/workflow';
import type { JobInput, JobResult } from '../../../../lib/protocol/job.ts';
import type { RetentionCounts } from '../../../../lib/protocol/retention.ts';
import type { TaskQueues } from '../../../../lib/protocol/task-queues.ts';
import { jobWorkflow as unchanged } from '../../../../workflows/job.ts';
import {
  RETENTION_STEPS,
  type RetentionProgress,
  runRetention,
  type StepName,
} from '../../../../workflows/retention.ts';

/** The job's workflow with a new timer before everything else. */
export async function jobWorkflow(input: JobInput): Promise<JobResult> {
  await sleep('1 s');
  return unchanged(input);
}

/** The retention workflow with a new first step. */
export function retentionWorkflow(
  queues: TaskQueues,
  progress?: RetentionProgress,
): Promise<RetentionCounts> {
  const inserted = { name: 'insertedStep' as string as StepName, title: 'Running the inserted step' };
  return runRetention([inserted, ...RETENTION_STEPS], queues, progress);
}
