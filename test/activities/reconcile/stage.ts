import { createReconcileActivities } from '../../../activities/reconcile/activities.ts';
import type { ReconcileDeps } from '../../../activities/reconcile/rules.ts';
import type { WorkflowState } from '../../../activities/workflow-probe.ts';
import type { JobRecord } from '../../../lib/domain/records.ts';
import { createFakeImageStore } from '../../fakes/images.ts';
import { createFakeStores } from '../../fakes/stores.ts';
import { draftOf, newClient } from '../../setup/records.ts';

const BROKEN = new Error('It is broken.');

/**
 * The activities of the reconciler over fakes. What concerns an id in `broken` fails. Workflows are
 * unknown to Temporal unless they have a state.
 */
export async function openReconcileStage() {
  const stores = createFakeStores();
  const images = createFakeImageStore('http://results.test');
  const broken = new Set<string>();
  const states = new Map<string, WorkflowState>();
  const completedBy = new Set<string>();
  const stopped: string[] = [];
  const guard = async (...ids: string[]) => {
    if (ids.some((id) => broken.has(id))) throw BROKEN;
  };
  const { jobs } = stores;
  const guarded: typeof stores = {
    ...stores,
    jobs: {
      ...jobs,
      fail: (id, end) => guard(id).then(() => jobs.fail(id, end)),
      remove: (ids) => guard(...ids).then(() => jobs.remove(ids)),
    },
  };
  const workflows = {
    stateOf: (id: string) => guard(id).then(() => states.get(id) ?? ('unknown' as const)),
    hasCompletedJob: async (id: string) => completedBy.has(id),
    terminate: (id: string) => guard(id).then(() => void states.set(id, 'closed')),
    deleteHistory: async () => true,
  };
  const deps: ReconcileDeps = {
    stores: guarded,
    images,
    workflows,
    onReconcileStopped: (problem) => void stopped.push(problem),
    reconcile: { lostJobMs: -1000 },
  };
  const activities = createReconcileActivities(deps);
  // Enough images for every test.
  const client = await newClient(stores);
  await stores.packs.add({ accountId: client.accountId, images: 500, reference: null });

  async function createJobs(
    status: JobRecord['status'],
    count: number,
    state?: WorkflowState,
    owner = client,
  ): Promise<string[]> {
    const drafts = Array.from({ length: count }, () => draftOf(owner));
    for (const { jobId, workflowId, ...draft } of drafts) {
      await jobs.accept({ jobId, workflowId, ...draft });
      if (status === 'failed')
        await jobs.fail(jobId, { error: 'No.', failureReason: 'no_result', processingMs: null });
      if (status === 'completed') await jobs.complete(jobId, { results: [], processingMs: 1 });
      if (state !== undefined) states.set(workflowId, state);
    }
    return drafts.map(({ jobId }) => jobId);
  }

  /** As if the jobs had been created so long ago. */
  function age(jobIds: readonly string[], ms: number): void {
    for (const id of jobIds)
      Object.assign(stores.books.jobs.get(id) ?? {}, { createdAt: new Date(Date.now() - ms) });
  }

  const workflowIdOf = (jobId: string) => stores.books.jobs.get(jobId)?.workflowId ?? '';
  const statusOf = (jobId: string) => stores.books.jobs.get(jobId)?.status;
  return {
    stores,
    images,
    broken,
    states,
    completedBy,
    stopped,
    deps,
    activities,
    client,
    createJobs,
    age,
    workflowIdOf,
    statusOf,
    problemsOf: (...ids: string[]) => ids.map((id) => `${id}: ${BROKEN.message}`).sort(),
  };
}
