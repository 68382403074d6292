/** `unknown`: Temporal never had the workflow, or has deleted it. */
export type WorkflowState = 'open' | 'closed' | 'unknown';

/**
 * The calls to Temporal that retention and the reconciler need. They throw when Temporal cannot be
 * reached.
 */
export interface WorkflowProbe {
  /** State of the latest run. */
  stateOf(workflowId: string): Promise<WorkflowState>;
  /** Whether a closed workflow says that it has completed its job. */
  hasCompletedJob(workflowId: string): Promise<boolean>;
  /** Does nothing when the workflow is not running. */
  terminate(workflowId: string, reason: string): Promise<void>;
  /** Deletes all runs of a closed workflow. @returns false when it is still running */
  deleteHistory(workflowId: string): Promise<boolean>;
}
