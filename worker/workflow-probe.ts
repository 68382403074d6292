import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { WorkflowProbe } from '../activities/retention/steps.ts';
import { deleteWorkflow } from '../runtime/temporal-client.ts';

const CLOSED = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT']);

/** Time limit of one check or deletion; Temporal's client sets none. */
const CALL_MS = 20_000;

/** Checks the latest run of a workflow id; deletes all its runs. */
export function createWorkflowProbe(client: Client): WorkflowProbe {
  async function isOpen(workflowId: string): Promise<boolean> {
    try {
      const { status } = await client.workflow.getHandle(workflowId).describe();
      return !CLOSED.has(status.name);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  async function deleteHistory(workflowId: string): Promise<boolean> {
    if (await isOpen(workflowId)) return false;
    await deleteWorkflow(client, workflowId);
    return true;
  }

  const bounded =
    (call: (workflowId: string) => Promise<boolean>) =>
    (workflowId: string): Promise<boolean> =>
      client.withDeadline(Date.now() + CALL_MS, () => call(workflowId));
  return { isOpen: bounded(isOpen), deleteHistory: bounded(deleteHistory) };
}
