import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type { WorkflowProbe } from '../activities/activities.ts';
import { deleteWorkflow } from '../temporal.ts';

const CLOSED = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT']);

/** Looks at, and deletes, the latest run of a workflow id. */
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

  return {
    isOpen,
    async forget(workflowId) {
      if (await isOpen(workflowId)) return false;
      await deleteWorkflow(client, workflowId);
      return true;
    },
  };
}
