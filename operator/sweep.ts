import type { Client } from '@temporalio/client';
import { SWEEP_WORKFLOW, taskQueues } from '../workflows/messages.ts';

/** What starts a sweep, by hand as by schedule. `prefix` is that of the task queues. */
export function sweepAction(prefix: string) {
  const queues = taskQueues(prefix);
  return {
    workflowType: SWEEP_WORKFLOW,
    workflowId: `${prefix}retention`,
    taskQueue: queues.jobs,
    args: [queues],
  };
}

/** Starts the retention workflow now, or joins the one that was started by hand and still runs. */
export async function startSweep(
  client: Client,
  prefix: string,
): Promise<{ workflowId: string; runId: string }> {
  const { workflowType, ...options } = sweepAction(prefix);
  const handle = await client.workflow.start(workflowType, {
    ...options,
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  return { workflowId: handle.workflowId, runId: handle.firstExecutionRunId };
}
