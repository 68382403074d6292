import { randomUUID } from 'node:crypto';
import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/client';
import { escaped } from '../../lib/domain/markdown.ts';
import type { Acceptance, JobRecord } from '../../lib/domain/records.ts';
import { checkTemporal, signalOrDelete, signalSoon } from '../../lib/process/temporal-client.ts';
import {
  acceptUpdate,
  deletedSignal,
  JOB_WORKFLOW,
  type JobInput,
  stopSignal,
} from '../../lib/protocol/job.ts';
import { ACCOUNT_ID, ACCOUNT_NAME, TOOL } from '../../lib/protocol/search-attributes.ts';
import type { TaskQueues } from '../../lib/protocol/task-queues.ts';

/**
 * Outcome of one acceptance call. `closed`: the key's workflow has ended. `unknown`: only MongoDB
 * has the outcome.
 */
export type GatewayOutcome = Acceptance | { outcome: 'closed' } | { outcome: 'unknown'; cause: unknown };

export type JobRequest = Omit<JobInput, 'queues'>;

/** Access to the job workflows. */
export interface JobGateway {
  readonly queues: TaskQueues;
  /**
   * Starts the key's workflow, or uses the running one, and waits for the acceptance. Never throws.
   * @param withinMs deadline of the call in milliseconds; the SDK's retries may sleep past it
   */
  accept(request: JobRequest, withinMs: number): Promise<GatewayOutcome>;
  /**
   * Signals the job's workflow that the job was deleted; a workflow that has ended is deleted
   * instead. Best effort with a short timeout, never throws: deliveries check the job first, and
   * the retention run deletes the workflow.
   * @returns whether the workflow was deleted
   */
  notifyDeleted(workflowId: string): Promise<boolean>;
  /**
   * Signals the job's workflow that the job was cancelled. Best effort with a short timeout, never
   * throws: without the signal, the workflow stops when it finds that the job has ended.
   */
  notifyCancelled(job: Pick<JobRecord, 'id' | 'workflowId'>): Promise<void>;
  /** Rejects unless Temporal responds. */
  check(): Promise<void>;
}

/** The gateway over Temporal's Update-with-Start. */
export function createTemporalGateway(client: Client, queues: TaskQueues): JobGateway {
  return {
    queues,
    async accept(input, withinMs) {
      const startWorkflowOperation = new WithStartWorkflowOperation(JOB_WORKFLOW, {
        workflowId: input.draft.workflowId,
        taskQueue: queues.jobs,
        args: [{ ...input, queues }],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
        // A workflow task of a killed worker is retried after this time; the default is 10 s.
        workflowTaskTimeout: '3 s',
        staticSummary: `${input.draft.tool} · ${escaped(input.accountName)}`,
        priority: { fairnessKey: input.draft.accountId },
        typedSearchAttributes: [
          { key: ACCOUNT_ID, value: input.draft.accountId },
          { key: ACCOUNT_NAME, value: input.accountName },
          { key: TOOL, value: input.draft.tool },
        ],
      });
      startWorkflowOperation.workflowHandle().catch(() => {});
      try {
        // Never derived from the client's key: Temporal would return the recorded outcome, even a
        // 402 after a top-up.
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

    notifyDeleted: (workflowId) => signalOrDelete(client, workflowId, deletedSignal.name),
    notifyCancelled: ({ id, workflowId }) => signalSoon(client, workflowId, stopSignal.name, id),
    check: () => checkTemporal(client),
  };
}
