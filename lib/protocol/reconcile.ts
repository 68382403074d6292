import { type TaskQueues, taskQueues } from './task-queues.ts';
import { reconcileWorkflowId } from './workflow-ids.ts';

/**
 * Workflow type of the reconciler, which finds what a lost workflow or an interrupted command has
 * left undone.
 */
const RECONCILE_WORKFLOW = 'reconcileWorkflow';

export interface ReconcileInput {
  queues: TaskQueues;
  /**
   * An operator has confirmed that all jobs found as lost are to be refunded, however many they
   * are.
   */
  confirmed?: boolean;
}

/** Counts of one run of the reconciler. */
export interface ReconcileCounts {
  /** Jobs in progress that were checked. */
  checked: number;
  /** Jobs without a running workflow, or in progress for too long; now failed and refunded. */
  refunded: number;
  /** Pending webhooks without a running workflow, resumed in a new one. */
  webhooksResumed: number;
  /** Ended jobs whose open calls to upstreams are now cancelled. */
  callsCancelled: number;
  /** Ended jobs whose open calls could not be cancelled; the next run retries them. */
  callsLeft: number;
  /** Jobs of closed accounts, now deleted. */
  deleted: number;
  /** Jobs and webhooks that could not be processed; the next run retries them. */
  failed: number;
}

/**
 * Start options of the reconciler, for its schedule and for `reconcile run`.
 * @param prefix of the task queues
 */
export function reconcileAction(prefix: string, confirmed = false) {
  const queues = taskQueues(prefix);
  return {
    workflowType: RECONCILE_WORKFLOW,
    workflowId: reconcileWorkflowId(prefix, confirmed),
    taskQueue: queues.jobs,
    args: [{ queues, ...(confirmed ? { confirmed } : {}) }] satisfies [ReconcileInput],
    // Ends a run that hangs. It would keep all later runs from starting.
    workflowExecutionTimeout: '30 m',
  } as const;
}
