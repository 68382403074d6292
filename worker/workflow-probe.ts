import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import type { WorkflowProbe, WorkflowState } from '../activities/workflow-probe.ts';
import { deleteWorkflow } from '../lib/process/temporal-client.ts';
import type { JobResult } from '../lib/protocol/job.ts';

const CLOSED = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT']);

/** Time limit of one call; Temporal's client sets none. */
const CALL_MS = 20_000;

/** Checks and terminates the latest run of a workflow id; deletes all its runs. */
export function createWorkflowProbe(client: Client): WorkflowProbe {
  async function stateOf(workflowId: string): Promise<WorkflowState> {
    try {
      const { status } = await client.workflow.getHandle(workflowId).describe();
      return CLOSED.has(status.name) ? 'closed' : 'open';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'unknown';
      throw error;
    }
  }

  async function hasCompletedJob(workflowId: string): Promise<boolean> {
    try {
      const outcome: JobResult = await client.workflow.getHandle(workflowId).result();
      return outcome.status === 'completed';
    } catch (error) {
      if (error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  async function terminate(workflowId: string, reason: string): Promise<void> {
    try {
      await client.workflow.getHandle(workflowId).terminate(reason);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }

  async function deleteHistory(workflowId: string): Promise<boolean> {
    if ((await stateOf(workflowId)) === 'open') return false;
    await deleteWorkflow(client, workflowId);
    return true;
  }

  const bounded =
    <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      client.withDeadline(Date.now() + CALL_MS, () => call(...args));
  return {
    stateOf: bounded(stateOf),
    hasCompletedJob: bounded(hasCompletedJob),
    terminate: bounded(terminate),
    deleteHistory: bounded(deleteHistory),
  };
}
