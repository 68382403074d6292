import { randomUUID } from 'node:crypto';
import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { deleteWorkflow } from '../temporal.ts';
import {
  ACCOUNT_ID,
  type AcceptanceOutcome,
  acceptUpdate,
  deletedSignal,
  JOB_WORKFLOW,
  type JobInput,
  type TaskQueues,
  TOOL,
} from '../workflows/messages.ts';

const SIGNAL_TIMEOUT_MS = 2000;

/** What one try to have a job accepted came to. `closed`: the key's workflow has ended; `unknown`: ask MongoDB. */
export type GatewayOutcome =
  | AcceptanceOutcome
  | { outcome: 'closed' }
  | { outcome: 'unknown'; cause: unknown };

export type JobRequest = Omit<JobInput, 'queues'> & { accountName: string };

/** Hands a request to its durable workflow. */
export interface JobGateway {
  readonly queues: TaskQueues;
  /**
   * Starts the key's workflow, or joins the one that runs, and waits for the acceptance. Never throws.
   * @param withinMs deadline of the call in milliseconds; the SDK's retries may sleep past it
   */
  accept(request: JobRequest, withinMs: number): Promise<GatewayOutcome>;
  /**
   * Tells the job's workflow that the job was deleted, or deletes it when it has ended. Best effort, for the webhook
   * looks at the job before it is sent, and the sweep at the workflow: never throws, and gives up after a moment.
   * @returns whether nothing is left of the workflow
   */
  deleted(workflowId: string): Promise<boolean>;
}

/** The gateway over Temporal's Update-with-Start. */
export function createTemporalGateway(client: Client, queues: TaskQueues): JobGateway {
  return {
    queues,
    async accept({ accountName, ...input }, withinMs) {
      const startWorkflowOperation = new WithStartWorkflowOperation(JOB_WORKFLOW, {
        workflowId: input.draft.workflowId,
        taskQueue: queues.jobs,
        args: [{ ...input, queues }],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
        // What a killed worker had in hand goes to the next one after this time; by default it is 10 s.
        workflowTaskTimeout: '3 s',
        staticSummary: `${input.draft.tool} · ${accountName}`,
        priority: { fairnessKey: input.draft.accountId },
        typedSearchAttributes: [
          { key: ACCOUNT_ID, value: input.draft.accountId },
          { key: TOOL, value: input.draft.tool },
        ],
      });
      startWorkflowOperation.workflowHandle().catch(() => {});
      try {
        // Never an id of the client's: the outcome recorded under it would be answered again, a refusal after a top-up too.
        return await client.withDeadline(Date.now() + withinMs, () =>
          client.workflow.executeUpdateWithStart(acceptUpdate, {
            startWorkflowOperation,
            updateId: randomUUID(),
          }),
        );
      } catch (cause) {
        if (cause instanceof WorkflowExecutionAlreadyStartedError) return { outcome: 'closed' };
        return { outcome: 'unknown', cause };
      }
    },

    async deleted(workflowId) {
      const tell = () => signalOrDelete(client, workflowId);
      return client.withDeadline(Date.now() + SIGNAL_TIMEOUT_MS, tell).catch(() => false);
    },
  };
}

async function signalOrDelete(client: Client, workflowId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId).signal(deletedSignal);
    return false;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    await deleteWorkflow(client, workflowId);
    return true;
  }
}
