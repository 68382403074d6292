import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type { WorkflowProbe } from '../activities/activities.ts';
import { deleteWorkflow } from '../temporal.ts';

const CLOSED = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT']);

/** Longest that one look or deletion may take; Temporal's calls have no end of their own. */
const CALL_MS = 20_000;

/** Looks at the latest run of a workflow id, and deletes all of them. */
export function createWorkflowProbe(connection: NativeConnection, namespace: string): WorkflowProbe {
  const client = new Client({ connection, namespace });

  async function isOpen(workflowId: string): Promise<boolean> {
    try {
      const { status } = await client.workflow.getHandle(workflowId).describe();
      return !CLOSED.has(status.name);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  async function forget(workflowId: string): Promise<boolean> {
    if (await isOpen(workflowId)) return false;
    await deleteWorkflow(client, workflowId);
    return true;
  }

  const bounded =
    (call: (workflowId: string) => Promise<boolean>) =>
    (workflowId: string): Promise<boolean> =>
      client.withDeadline(Date.now() + CALL_MS, () => call(workflowId));
  return { isOpen: bounded(isOpen), forget: bounded(forget) };
}
