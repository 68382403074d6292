import { taskQueues } from './task-queues.ts';
import { retentionWorkflowId } from './workflow-ids.ts';

/** Workflow type of the retention workflow, which applies the retention rules. */
const RETENTION_WORKFLOW = 'retentionWorkflow';

/** Counts of one retention run. */
export interface RetentionCounts {
  /** Jobs deleted because of the retention_days of their key. */
  deleted: number;
  /** Workflows of deleted jobs, deleted in Temporal. */
  historiesDeleted: number;
  /** Failed jobs whose input image was deleted. */
  inputsDropped: number;
  /** Stored images that belong to no job. */
  orphans: number;
  /** Images removed from the store. */
  removed: number;
  /** Images that could not be removed; the next run retries them. */
  unremoved: number;
  /** Jobs and workflows that could not be processed; the next run retries them. */
  failed: number;
}

/**
 * Start options of the retention workflow, for its schedule and for `sweep run`.
 * @param prefix of the task queues
 * @param confirmed an operator agrees to the removal of today's orphans, however many
 */
export function retentionAction(prefix: string, confirmed = false) {
  const queues = taskQueues(prefix);
  return {
    workflowType: RETENTION_WORKFLOW,
    workflowId: retentionWorkflowId(prefix, confirmed),
    taskQueue: queues.jobs,
    args: confirmed ? [queues, undefined, { confirmed }] : [queues],
    // Ends a run that hangs before the next run is due. It would keep that run from starting.
    workflowExecutionTimeout: '23 h',
  } as const;
}
