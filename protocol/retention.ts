/** Workflow type of the retention workflow, which applies the retention rules. */
export const RETENTION_WORKFLOW = 'retentionWorkflow';

/** Counts of one retention run. */
export interface RetentionCounts {
  /** Jobs without a running workflow, now failed and refunded. */
  refunded: number;
  /** Pending webhooks without a running workflow, resumed in a new one. */
  webhooksResumed: number;
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
  /** Jobs, webhooks and workflows that could not be processed; the next run retries them. */
  failed: number;
}
