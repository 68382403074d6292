import type { DeliveryRecord } from '../../lib/domain/records.ts';
import type { ReconcileCounts } from '../../lib/protocol/reconcile.ts';
import type { PendingDelivery } from '../../lib/protocol/webhooks.ts';
import { webhookWorkflowIds } from '../../lib/protocol/workflow-ids.ts';
import { type Batch, idOfItem, nextOf, processItems } from '../retention/page.ts';
import { pendingDeliveryOf } from '../webhooks/pending-delivery.ts';
import type { ReconcileDeps, ReconcileRules } from './rules.ts';

/** Deliveries of a batch, which are checked concurrently. */
const PROBES = 50;

export interface LostWebhooks extends Batch<ReconcileCounts> {
  /** Pending webhooks that no workflow is delivering. */
  webhooks: PendingDelivery[];
}

/** Finds deliveries that a terminated or lost workflow left pending. */
export async function resumeLostWebhooks(
  deps: ReconcileDeps,
  { lostJobMs }: ReconcileRules,
  after: string,
): Promise<LostWebhooks> {
  const page = await deps.stores.deliveries.pending(new Date(Date.now() - lostJobMs), after, PROBES);
  const webhooks: PendingDelivery[] = [];
  const { processed, failed, problems } = await processItems(page, PROBES, idOfItem, async (delivery) => {
    if (!(await isBeingDelivered(deps, delivery))) webhooks.push(pendingDeliveryOf(delivery));
  });
  const counts = { webhooksResumed: webhooks.length, failed };
  return { next: nextOf(page, processed, PROBES), counts, problems, webhooks };
}

/** Whether a workflow that delivers this webhook is running. */
async function isBeingDelivered(
  { stores, workflows }: ReconcileDeps,
  { id, jobId }: DeliveryRecord,
): Promise<boolean> {
  const job = jobId === null ? undefined : await stores.jobs.get(jobId);
  const jobWorkflowIds = job === undefined ? [] : [job.workflowId];
  for (const workflowId of [...jobWorkflowIds, ...webhookWorkflowIds(id)])
    if ((await workflows.stateOf(workflowId)) === 'open') return true;
  return false;
}
