import { removeImagesSoon } from '../../lib/domain/remove-images.ts';
import type { ReconcileCounts } from '../../lib/protocol/reconcile.ts';
import { type Batch, bisect, pageDeadline } from '../retention/page.ts';
import type { ReconcileDeps } from './rules.ts';

/** Jobs deleted in one transaction. */
const JOBS = 500;
/** The most jobs that a query excludes because their deletion keeps failing. */
const MAX_STUCK = 1000;

/**
 * Deletes what an interrupted `account close` has left.
 * @param after ids of the jobs that could not be deleted
 */
export async function deleteJobsOfClosedAccounts(
  deps: ReconcileDeps,
  after: string,
): Promise<Batch<ReconcileCounts>> {
  const stuck = after === '' ? [] : after.split(' ');
  const left = await deps.stores.retention.ofClosedAccounts(JOBS, stuck);
  const removed = await bisect(left, (ids) => removeJobs(deps, ids), pageDeadline());
  stuck.push(...removed.stuck);
  const { done: deleted, failed, problems } = removed;
  const isDone = left.length < JOBS || stuck.length > MAX_STUCK;
  return { next: isDone ? null : stuck.join(' '), counts: { deleted, failed }, problems };
}

async function removeJobs({ stores, images }: ReconcileDeps, ids: readonly string[]): Promise<number> {
  const deleted = await stores.jobs.remove(ids);
  await removeImagesSoon(
    { stores, images },
    deleted.flatMap(({ objects }) => objects),
  );
  return deleted.length;
}
