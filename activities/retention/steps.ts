import type { DeliveryRecord, ObjectRef } from '../../domain/records.ts';
import { removeImages } from '../../domain/remove-images.ts';
import { refundedError } from '../../protocol/job-errors.ts';
import type { RetentionCounts } from '../../protocol/retention.ts';
import { webhookWorkflowIds } from '../../protocol/workflow-ids.ts';
import type { ImageStore } from '../../stores/image-store.ts';
import { type PendingDelivery, pendingDeliveryOf } from '../webhooks/pending-delivery.ts';
import { DAY_MS, type JobLimitDeps, RETENTION } from './job-limit.ts';
import { bisect, mergeFailures, NO_FAILURES, pageDeadline, processItems } from './page.ts';

/** Result of one batch of a step. `next` is the cursor of the following batch; null when the step is done. */
export interface RetentionBatch {
  next: string | null;
  counts: Partial<RetentionCounts>;
  /** Pending webhooks that no workflow is delivering. */
  webhooks?: PendingDelivery[];
  /** Id and error message of items that failed. */
  problems?: string[];
}

/** The calls to Temporal that retention needs. They throw when Temporal cannot be reached. */
export interface WorkflowProbe {
  isOpen(workflowId: string): Promise<boolean>;
  /** Deletes all runs of a closed workflow. @returns false when it is still running */
  deleteHistory(workflowId: string): Promise<boolean>;
}

export interface RetentionDeps extends JobLimitDeps {
  images: Pick<ImageStore, 'list' | 'remove'>;
  workflows: WorkflowProbe;
}

const LOST = refundedError('The job was interrupted before it could finish.');
/** Items per page, and concurrent calls to Temporal. */
const PROBES = 50;
const HISTORIES = 200;
const KEYS = 100;
/** The most objects that one list or delete call of S3 takes. */
const OBJECTS = 1000;
/** The most jobs that a query excludes because their deletion keeps failing. */
const MAX_STUCK = 1000;

/** Steps of the retention workflow. Each runs one batch from the cursor `after` ('' for the first one). Idempotent. */
export function createRetentionActivities(deps: RetentionDeps) {
  const rules = { ...RETENTION, ...deps.retention };
  return {
    refundLostJobs: (after: string) => refundLostJobs(deps, ago(rules.lostJobMs), after),
    resumeLostWebhooks: (after: string) => resumeLostWebhooks(deps, ago(rules.lostJobMs), after),
    deleteExpiredJobs: (after: string) => deleteExpiredJobs(deps, rules.batch, after),
    deleteHistories: (after: string) => deleteHistories(deps, after),
    dropFailedInputs: (after: string) => dropFailedInputs(deps, rules.batch, ago(rules.failedInputMs), after),
    removeQueuedImages: (after: string) => removeQueuedImages(deps, after),
    removeOrphanedInputs: (after: string) => removeOrphans(deps, 'inputs', ago(rules.orphanedInputMs), after),
    removeOrphanedResults: (after: string) =>
      removeOrphans(deps, 'results', ago(rules.orphanedResultMs), after),
  };
}

const ago = (ms: number) => new Date(Date.now() - ms);

/** Fails and refunds jobs whose workflow was terminated, timed out or lost while they were `processing`. */
async function refundLostJobs(
  { stores, workflows }: RetentionDeps,
  before: Date,
  after: string,
): Promise<RetentionBatch> {
  const page = await stores.retention.processing(before, after, PROBES);
  const lost = new Set<string>();
  const probed = await processItems(page, PROBES, idOf, async ({ id, workflowId }) => {
    if (!(await workflows.isOpen(workflowId))) lost.add(id);
  });
  const webhooks: PendingDelivery[] = [];
  let refunded = 0;
  // One at a time: concurrent refunds to one account conflict.
  const refunds = await processItems(page, 1, idOf, async ({ id }) => {
    if (!lost.has(id)) return;
    const end = { error: LOST, failureReason: 'unavailable', processingMs: null } as const;
    const { job, delivery } = await stores.jobs.fail(id, end);
    // The job ended after the page was read: its workflow has done the rest.
    if (job.error !== LOST) return;
    refunded += 1;
    if (delivery !== null) webhooks.push(pendingDeliveryOf(delivery));
  });
  const { failed, problems } = mergeFailures(probed, refunds);
  return { next: nextOf(page, refunds.processed), counts: { refunded, failed }, webhooks, problems };
}

const idOf = ({ id }: { id: string }) => id;

/** Cursor of the page after this one; null after the last one. */
function nextOf(page: readonly { id: string }[], processed: number): string | null {
  if (processed === page.length && page.length < PROBES) return null;
  return page[processed - 1]?.id ?? null;
}

/** Finds deliveries that a terminated or lost workflow left pending. */
async function resumeLostWebhooks(deps: RetentionDeps, before: Date, after: string): Promise<RetentionBatch> {
  const page = await deps.stores.deliveries.pending(before, after, PROBES);
  const webhooks: PendingDelivery[] = [];
  const { processed, failed, problems } = await processItems(page, PROBES, idOf, async (delivery) => {
    if (!(await isBeingDelivered(deps, delivery))) webhooks.push(pendingDeliveryOf(delivery));
  });
  return {
    next: nextOf(page, processed),
    counts: { webhooksResumed: webhooks.length, failed },
    webhooks,
    problems,
  };
}

/** Whether a workflow that delivers this webhook is running. */
async function isBeingDelivered(
  { stores, workflows }: RetentionDeps,
  { id, jobId }: DeliveryRecord,
): Promise<boolean> {
  const job = jobId === null ? undefined : await stores.jobs.get(jobId);
  const jobWorkflowIds = job === undefined ? [] : [job.workflowId];
  for (const workflowId of [...jobWorkflowIds, ...webhookWorkflowIds(id)])
    if (await workflows.isOpen(workflowId)) return true;
  return false;
}

async function deleteHistories({ stores, workflows }: RetentionDeps, after: string): Promise<RetentionBatch> {
  const { workflowIds, next } = await stores.histories.pending(after, HISTORIES);
  const deleted: string[] = [];
  const { processed, failed, problems } = await processItems(workflowIds, PROBES, String, async (id) => {
    if (await workflows.deleteHistory(id)) deleted.push(id);
  });
  await stores.histories.markDeleted(deleted);
  const resumeAt = processed < workflowIds.length ? (workflowIds[processed - 1] ?? null) : next;
  return { next: resumeAt, counts: { historiesDeleted: deleted.length, failed }, problems };
}

/** Cursor of {@link deleteExpiredJobs}: the last key that is done, and jobs of the next one that cannot be deleted. */
interface ExpiryCursor {
  done: string;
  stuck: string[];
}
const parseCursor = (after: string): ExpiryCursor =>
  after.startsWith('{') ? (JSON.parse(after) as ExpiryCursor) : { done: after, stuck: [] };

async function deleteExpiredJobs(
  { stores }: RetentionDeps,
  batch: number,
  after: string,
): Promise<RetentionBatch> {
  let { done, stuck } = parseCursor(after);
  const keys = await stores.retention.keys(done, KEYS);
  const deadline = pageDeadline();
  let left = batch;
  let deleted = 0;
  let failures = NO_FAILURES;
  for (const { id, retentionDays } of keys) {
    const expired = await stores.retention.expired(id, ago(retentionDays * DAY_MS), left, stuck);
    const removed = await bisect(expired, async (ids) => (await stores.jobs.remove(ids)).length, deadline);
    deleted += removed.done;
    left -= expired.length;
    failures = mergeFailures(failures, removed);
    stuck = [...stuck, ...removed.stuck];
    // This key may have more expired jobs: the next batch continues with it.
    if (left === 0 && stuck.length <= MAX_STUCK) break;
    [done, stuck] = [id, []];
    if (left === 0 || Date.now() > deadline) break;
  }
  const isDone = keys.length < KEYS && done === (keys.at(-1)?.id ?? done);
  const next = stuck.length === 0 ? done : JSON.stringify({ done, stuck });
  return {
    next: isDone ? null : next,
    counts: { deleted, failed: failures.failed },
    problems: failures.problems,
  };
}

/** @param after ids of the jobs whose inputs could not be dropped */
async function dropFailedInputs(
  { stores }: RetentionDeps,
  batch: number,
  before: Date,
  after: string,
): Promise<RetentionBatch> {
  const stuck = after === '' ? [] : after.split(' ');
  const due = await stores.retention.failedWithInput(before, batch, stuck);
  const dropped = await bisect(due, (ids) => stores.jobs.dropInputs(ids), pageDeadline());
  stuck.push(...dropped.stuck);
  const { done: inputsDropped, failed, problems } = dropped;
  const isDone = due.length < batch || stuck.length > MAX_STUCK;
  return { next: isDone ? null : stuck.join(' '), counts: { inputsDropped, failed }, problems };
}

async function removeQueuedImages(deps: RetentionDeps, after: string): Promise<RetentionBatch> {
  const { refs, next } = await deps.stores.removals.pending(after, OBJECTS);
  const counts = await remove(deps, refs);
  // While the store is unavailable, leave the rest to the next retention run.
  return { next: counts.removed === 0 && (await isUnavailable(deps)) ? null : next, counts };
}

const isUnavailable = ({ images }: RetentionDeps) =>
  images.list('inputs', new Date(0), undefined, 1).then(
    () => false,
    () => true,
  );

async function removeOrphans(
  deps: RetentionDeps,
  bucket: ObjectRef['bucket'],
  before: Date,
  after: string,
): Promise<RetentionBatch> {
  const page = await deps.images.list(bucket, before, after === '' ? undefined : after, OBJECTS);
  const orphans = await deps.stores.retention.unowned(page.found.map(({ key }) => ({ bucket, key })));
  return { next: page.next ?? null, counts: { orphans: orphans.length, ...(await remove(deps, orphans)) } };
}

async function remove(deps: RetentionDeps, refs: readonly ObjectRef[]) {
  const unremoved = await removeImages(deps, refs);
  return { removed: refs.length - unremoved, unremoved };
}
