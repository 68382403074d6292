import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type { WorkflowProbe } from '../activities/activities.ts';

const CLOSED = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT']);

/** Asks Temporal for the latest run of a workflow id. */
export function createWorkflowProbe(connection: NativeConnection, namespace: string): WorkflowProbe {
  const client = new Client({ connection, namespace });
  return {
    async isOpen(workflowId) {
      try {
        const { status } = await client.workflow.getHandle(workflowId).describe();
        return !CLOSED.has(status.name);
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },
  };
}
