/** Outbox of workflows of deleted jobs, whose histories contain the inputs. A row is deleted with its history. */
export interface HistoryStore {
  /** One page of workflow ids; `next` is `after` of the next page. */
  pending(after: string, limit: number): Promise<{ workflowIds: string[]; next: string | null }>;
  /** Deletes the rows of workflows whose histories are deleted. Idempotent. */
  markDeleted(workflowIds: readonly string[]): Promise<void>;
}
