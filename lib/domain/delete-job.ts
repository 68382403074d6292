import type { ObjectRef } from './records.ts';
import { type RemovalDeps, removeImagesSoon } from './remove-images.ts';

interface DeletionDeps extends RemovalDeps {
  stores: RemovalDeps['stores'] & {
    jobs: { remove(jobIds: readonly string[]): Promise<{ id: string; objects: ObjectRef[] }[]> };
    histories: { markDeleted(workflowIds: readonly string[]): Promise<void> };
  };
  /**
   * Tells the workflow of a deleted job, or deletes one that has ended.
   * @returns whether it was deleted
   */
  notifyDeleted(workflowId: string): Promise<boolean>;
}

/**
 * Deletes an ended job, and then its images and its workflow, whose history contains the job's
 * options and URLs. The retention run deletes whatever cannot be deleted now.
 * @returns false if the job is processing or unknown, or another call has deleted it
 */
export async function deleteEndedJob(
  deps: DeletionDeps,
  { id, workflowId }: { id: string; workflowId: string },
): Promise<boolean> {
  const { jobs, histories } = deps.stores;
  const [deleted] = await jobs.remove([id]);
  if (deleted === undefined) return false;
  const deleteHistory = async () => {
    if (await deps.notifyDeleted(workflowId)) await histories.markDeleted([workflowId]).catch(() => {});
  };
  await Promise.all([deleteHistory(), removeImagesSoon(deps, deleted.objects)]);
  return true;
}
