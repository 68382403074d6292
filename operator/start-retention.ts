import type { Client } from '@temporalio/client';
import { RETENTION_WORKFLOW } from '../protocol/retention.ts';
import { taskQueues } from '../protocol/task-queues.ts';
import { retentionWorkflowId } from '../protocol/workflow-ids.ts';

/** Deadline of the call to Temporal. */
const START_TIMEOUT_MS = 10_000;

/** Start options of the retention workflow, for the schedule and for `sweep run`. @param prefix of the task queues */
export function retentionAction(prefix: string) {
  const queues = taskQueues(prefix);
  return {
    workflowType: RETENTION_WORKFLOW,
    workflowId: retentionWorkflowId(prefix),
    taskQueue: queues.jobs,
    args: [queues],
  };
}

/** Starts the retention workflow now, or joins one that was started by hand and is still running. */
export async function startRetention(
  client: Client,
  prefix: string,
): Promise<{ workflowId: string; runId: string }> {
  const { workflowType, ...options } = retentionAction(prefix);
  const handle = await client.withDeadline(Date.now() + START_TIMEOUT_MS, () =>
    client.workflow.start(workflowType, { ...options, workflowIdConflictPolicy: 'USE_EXISTING' }),
  );
  return { workflowId: handle.workflowId, runId: handle.firstExecutionRunId };
}
