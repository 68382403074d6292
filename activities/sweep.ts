import { webhookWorkflowIds } from '../contract/workflow-ids.ts';
import type { DeliveryRecord, ObjectRef } from '../stores/records.ts';
import { removeImages } from '../stores/removal.ts';
import { DAY_MS, RETENTION, type RetentionDeps } from './retention.ts';
import { noticeOf, type WebhookNotice } from './webhook-notices.ts';

/** What a sweep has done. */
export interface SweepCounts {
  /** Jobs whose workflow was gone: failed and refunded. */
  refunded: number;
  /** Webhooks whose workflow was gone: another one goes on with them. */
  takenUp: number;
  /** Jobs deleted by the retention_days of their key. */
  deleted: number;
  /** Workflows of deleted jobs that were deleted in Temporal. */
  forgotten: number;
  /** Failed jobs that lost their input. */
  inputsDropped: number;
  /** Stored images that belonged to no job. */
  orphans: number;
  /** Images removed from the store. */
  removed: number;
  /** Images that could not be removed; the next sweep tries again. */
  unremoved: number;
}

/** One bounded piece of a step. `next` is where the following piece starts; null when the step is over. */
export interface SweepBatch {
  next: string | null;
  counts: Partial<SweepCounts>;
  /** Webhooks that have no workflow any more to see to them. */
  webhooks?: WebhookNotice[];
}

/** What the sweep asks of Temporal. Throws when there is no answer. */
export interface WorkflowProbe {
  /** Whether the workflow still runs. */
  isOpen(workflowId: string): Promise<boolean>;
  /** Deletes a workflow that has ended. @returns whether nothing is left of it */
  forget(workflowId: string): Promise<boolean>;
}

export interface SweepDeps extends RetentionDeps {
  workflows: WorkflowProbe;
}

const LOST = 'The job was interrupted before it could finish. The charge was refunded.';
/** Asked of Temporal side by side. */
const PROBES = 50;
const HISTORIES = 200;
const KEYS = 100;
/** Most keys one listing and one removal of the image store take. */
const OBJECTS = 1000;

/** The steps of the sweep. Each takes `after` ('' to begin with) and does one piece; all are safe to repeat. */
export function createSweepActivities(deps: SweepDeps) {
  const rules = { ...RETENTION, ...deps.retention };
  return {
    refundLostJobs: (after: string) => refundLostJobs(deps, ago(rules.lostJobMs), after),
    takeUpLostWebhooks: (after: string) => takeUpLostWebhooks(deps, ago(rules.lostJobMs), after),
    deleteExpiredJobs: (after: string) => deleteExpiredJobs(deps, rules.batch, after),
    forgetWorkflows: (after: string) => forgetWorkflows(deps, after),
    dropFailedInputs: (_after: string) => dropFailedInputs(deps, rules.batch, ago(rules.failedInputMs)),
    removeOwedImages: (after: string) => removeOwedImages(deps, after),
    removeOrphanedInputs: (after: string) => removeOrphans(deps, 'inputs', ago(rules.orphanedInputMs), after),
    removeOrphanedResults: (after: string) =>
      removeOrphans(deps, 'results', ago(rules.orphanedResultMs), after),
  };
}

const ago = (ms: number) => new Date(Date.now() - ms);

/** Jobs left in `processing` by a workflow that was terminated, timed out or lost. */
async function refundLostJobs(
  { stores, workflows }: SweepDeps,
  before: Date,
  after: string,
): Promise<SweepBatch> {
  const page = await stores.retention.processing(before, after, PROBES);
  const open = await Promise.all(page.map(({ workflowId }) => workflows.isOpen(workflowId)));
  const webhooks: WebhookNotice[] = [];
  let refunded = 0;
  for (const { id } of page.filter((_, index) => !open[index])) {
    const { job, delivery } = await stores.jobs.fail(id, { error: LOST, processingMs: null });
    // One that ended since the page was read stays as it is, and its workflow has seen to the rest.
    if (job.error !== LOST) continue;
    refunded += 1;
    if (delivery !== null) webhooks.push(noticeOf(delivery));
  }
  const next = page.length < PROBES ? null : (page.at(-1)?.id ?? null);
  return { next, counts: { refunded }, webhooks };
}

/** Deliveries left pending by a workflow that was terminated or lost. */
async function takeUpLostWebhooks(deps: SweepDeps, before: Date, after: string): Promise<SweepBatch> {
  const page = await deps.stores.deliveries.pending(before, after, PROBES);
  const watched = await Promise.all(page.map((delivery) => isWatched(deps, delivery)));
  const webhooks = page.filter((_, index) => !watched[index]).map((delivery) => noticeOf(delivery));
  const next = page.length < PROBES ? null : (page.at(-1)?.id ?? null);
  return { next, counts: { takenUp: webhooks.length }, webhooks };
}

/** Whether one of the workflows that may see to a delivery runs. */
async function isWatched({ stores, workflows }: SweepDeps, { id, jobId }: DeliveryRecord): Promise<boolean> {
  const job = jobId === null ? undefined : await stores.jobs.get(jobId);
  const ofJob = job === undefined ? [] : [job.workflowId];
  for (const workflowId of [...ofJob, ...webhookWorkflowIds(id)])
    if (await workflows.isOpen(workflowId)) return true;
  return false;
}

async function forgetWorkflows({ stores, workflows }: SweepDeps, after: string): Promise<SweepBatch> {
  const { workflowIds, next } = await stores.histories.pending(after, HISTORIES);
  const gone = await Promise.all(workflowIds.map((id) => workflows.forget(id)));
  const forgotten = workflowIds.filter((_, index) => gone[index]);
  await stores.histories.settle(forgotten);
  return { next, counts: { forgotten: forgotten.length } };
}

async function deleteExpiredJobs({ stores }: SweepDeps, batch: number, after: string): Promise<SweepBatch> {
  const keys = await stores.retention.keys(after, KEYS);
  let left = batch;
  let deleted = 0;
  let done = after;
  for (const { id, retentionDays } of keys) {
    const expired = await stores.retention.expired(id, ago(retentionDays * DAY_MS), left);
    deleted += (await stores.jobs.remove(expired)).length;
    left -= expired.length;
    // This key may have more: the next piece comes back to it.
    if (left === 0) return { next: done, counts: { deleted } };
    done = id;
  }
  return { next: keys.length < KEYS ? null : done, counts: { deleted } };
}

async function dropFailedInputs({ stores }: SweepDeps, batch: number, before: Date): Promise<SweepBatch> {
  const due = await stores.retention.failedWithInput(before, batch);
  const inputsDropped = await stores.jobs.dropInputs(due);
  return { next: due.length < batch ? null : '', counts: { inputsDropped } };
}

async function removeOwedImages(deps: SweepDeps, after: string): Promise<SweepBatch> {
  const { refs, next } = await deps.stores.removals.pending(after, OBJECTS);
  const counts = await remove(deps, refs);
  // When nothing at all goes, the store is away: tomorrow is soon enough.
  return { next: counts.removed === 0 ? null : next, counts };
}

async function removeOrphans(
  deps: SweepDeps,
  bucket: ObjectRef['bucket'],
  before: Date,
  after: string,
): Promise<SweepBatch> {
  const page = await deps.images.list(bucket, before, after === '' ? undefined : after, OBJECTS);
  const orphans = await deps.stores.retention.unowned(page.found.map(({ key }) => ({ bucket, key })));
  return { next: page.next ?? null, counts: { orphans: orphans.length, ...(await remove(deps, orphans)) } };
}

async function remove(deps: SweepDeps, refs: readonly ObjectRef[]) {
  const unremoved = await removeImages(deps, refs);
  return { removed: refs.length - unremoved, unremoved };
}
