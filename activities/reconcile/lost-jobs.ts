import { refundedError } from '../../lib/domain/job-errors.ts';
import type { ReconcileCounts } from '../../lib/protocol/reconcile.ts';
import type { PendingDelivery } from '../../lib/protocol/webhooks.ts';
import { type Batch, type Done, idOfItem, nextOf, processItems } from '../retention/page.ts';
import { pendingDeliveryOf } from '../webhooks/pending-delivery.ts';
import type { ReconcileDeps, ReconcileRules } from './rules.ts';

/** Jobs checked in one batch. */
const JOBS = 1000;
/** Concurrent calls to Temporal. */
const PROBES = 50;

/** A job that its workflow will not end. */
export interface AbandonedJob {
  id: string;
  workflowId: string;
  /** Its workflow is running, and has been for far too long. */
  isOverdue: boolean;
}

export interface FoundJobs extends Batch<ReconcileCounts> {
  lost: AbandonedJob[];
  /** Checked jobs whose workflow Temporal knows. */
  known: number;
  /** Lost jobs that their workflow has completed: MongoDB is older than Temporal. */
  completed: number;
}

/**
 * Finds jobs that are `processing`, and whose workflow was terminated, deleted or lost, or makes no
 * progress.
 */
export async function findLostJobs(
  { stores, workflows }: ReconcileDeps,
  { lostJobMs, overdueJobMs }: ReconcileRules,
  after: string,
): Promise<FoundJobs> {
  const page = await stores.retention.processing(lostJobMs, after, JOBS);
  const lost: AbandonedJob[] = [];
  let known = 0;
  let completed = 0;
  const { processed, failed, problems } = await processItems(page, PROBES, idOfItem, async (job) => {
    const { id, workflowId, ageMs } = job;
    const state = await workflows.stateOf(workflowId);
    if (state !== 'unknown') known += 1;
    const isOverdue = state === 'open' && ageMs > overdueJobMs;
    if (state === 'open' && !isOverdue) return;
    // Its workflow may have ended it since the page was read.
    if ((await stores.jobs.get(id))?.status !== 'processing') return;
    if (state === 'closed' && (await workflows.hasCompletedJob(workflowId))) completed += 1;
    lost.push({ id, workflowId, isOverdue });
  });
  const next = nextOf(page, processed, JOBS);
  return { next, counts: { checked: processed, failed }, problems, lost, known, completed };
}

/** The `error` of a lost job. */
export const LOST = refundedError('The job was interrupted before it could finish.');
const END = { error: LOST, failureReason: 'unavailable', processingMs: null } as const;

export interface RefundedJobs extends Done<ReconcileCounts> {
  /** How many of the jobs were processed before the time was up. */
  processed: number;
  webhooks: PendingDelivery[];
}

/** Fails and refunds lost jobs that have not ended meanwhile. */
export async function refundLostJobs(
  { stores, workflows }: ReconcileDeps,
  jobs: readonly AbandonedJob[],
): Promise<RefundedJobs> {
  const webhooks: PendingDelivery[] = [];
  let refunded = 0;
  // One at a time: concurrent refunds to one account conflict.
  const { processed, failed, problems } = await processItems(jobs, 1, idOfItem, async (job) => {
    const { id, workflowId, isOverdue } = job;
    // Terminates before the refund: if this fails, the next run finds the job again. A workflow
    // that is still running would delay the webhook.
    if (isOverdue) await workflows.terminate(workflowId, 'The job is overdue. The reconciler refunds it.');
    const ended = await stores.jobs.fail(id, END);
    // Its workflow has ended the job meanwhile, and does the rest.
    if (ended.job.error !== LOST) return;
    refunded += 1;
    if (ended.delivery !== null) webhooks.push(pendingDeliveryOf(ended.delivery));
  });
  return { processed, counts: { refunded, failed }, problems, webhooks };
}
