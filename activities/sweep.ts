import { webhookWorkflowIds } from '../contract/workflow-ids.ts';
import type { DeliveryRecord, ObjectRef } from '../stores/records.ts';
import { removeImages } from '../stores/removal.ts';
import { apart, bothOf, NO_FAILURES, pageDeadline, seeTo } from './page.ts';
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
  /** Jobs, webhooks and workflows that could not be seen to; the next sweep tries again. */
  failed: number;
}

/** One bounded piece of a step. `next` is where the following piece starts; null when the step is over. */
export interface SweepBatch {
  next: string | null;
  counts: Partial<SweepCounts>;
  /** Webhooks that have no workflow any more to see to them. */
  webhooks?: WebhookNotice[];
  /** What went wrong with single items, as sentences. */
  problems?: string[];
}

/** What the sweep asks of Temporal. Throws when there is no answer. */
export interface WorkflowProbe {
  /** Whether the workflow still runs. */
  isOpen(workflowId: string): Promise<boolean>;
  /** Deletes all runs of a workflow that has ended. @returns whether nothing is left of it */
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
/** Jobs passed over in the search for more, because their deletion keeps failing. */
const STUCK = 1000;

/** The steps of the sweep. Each takes `after` ('' to begin with) and does one piece; all are safe to repeat. */
export function createSweepActivities(deps: SweepDeps) {
  const rules = { ...RETENTION, ...deps.retention };
  return {
    refundLostJobs: (after: string) => refundLostJobs(deps, ago(rules.lostJobMs), after),
    takeUpLostWebhooks: (after: string) => takeUpLostWebhooks(deps, ago(rules.lostJobMs), after),
    deleteExpiredJobs: (after: string) => deleteExpiredJobs(deps, rules.batch, after),
    forgetWorkflows: (after: string) => forgetWorkflows(deps, after),
    dropFailedInputs: (after: string) => dropFailedInputs(deps, rules.batch, ago(rules.failedInputMs), after),
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
  const lost = new Set<string>();
  const probed = await seeTo(page, PROBES, idOf, async ({ id, workflowId }) => {
    if (!(await workflows.isOpen(workflowId))) lost.add(id);
  });
  const webhooks: WebhookNotice[] = [];
  let refunded = 0;
  // One by one: those of one account would only collide.
  const settled = await seeTo(page, 1, idOf, async ({ id }) => {
    if (!lost.has(id)) return;
    const { job, delivery } = await stores.jobs.fail(id, { error: LOST, processingMs: null });
    // One that ended since the page was read stays as it is, and its workflow has seen to the rest.
    if (job.error !== LOST) return;
    refunded += 1;
    if (delivery !== null) webhooks.push(noticeOf(delivery));
  });
  const { failed, problems } = bothOf(probed, settled);
  return { next: nextOf(page, settled.seen), counts: { refunded, failed }, webhooks, problems };
}

const idOf = ({ id }: { id: string }) => id;

/** Where the following page of {@link PROBES} starts. */
function nextOf(page: readonly { id: string }[], seen: number): string | null {
  if (seen === page.length && page.length < PROBES) return null;
  return page[seen - 1]?.id ?? null;
}

/** Deliveries left pending by a workflow that was terminated or lost. */
async function takeUpLostWebhooks(deps: SweepDeps, before: Date, after: string): Promise<SweepBatch> {
  const page = await deps.stores.deliveries.pending(before, after, PROBES);
  const webhooks: WebhookNotice[] = [];
  const { seen, failed, problems } = await seeTo(page, PROBES, idOf, async (delivery) => {
    if (!(await isWatched(deps, delivery))) webhooks.push(noticeOf(delivery));
  });
  return { next: nextOf(page, seen), counts: { takenUp: webhooks.length, failed }, webhooks, problems };
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
  const forgotten: string[] = [];
  const { seen, failed, problems } = await seeTo(workflowIds, PROBES, String, async (id) => {
    if (await workflows.forget(id)) forgotten.push(id);
  });
  await stores.histories.settle(forgotten);
  const counts = { forgotten: forgotten.length, failed };
  return { next: seen < workflowIds.length ? (workflowIds[seen - 1] ?? null) : next, counts, problems };
}

/** How far the deletion of expired jobs is: the last key that is done, and jobs of the next one that stay. */
interface Expiry {
  done: string;
  stuck: string[];
}
const expiryOf = (after: string): Expiry =>
  after.startsWith('{') ? (JSON.parse(after) as Expiry) : { done: after, stuck: [] };

async function deleteExpiredJobs({ stores }: SweepDeps, batch: number, after: string): Promise<SweepBatch> {
  let { done, stuck } = expiryOf(after);
  const keys = await stores.retention.keys(done, KEYS);
  const deadline = pageDeadline();
  let left = batch;
  let deleted = 0;
  let all = NO_FAILURES;
  for (const { id, retentionDays } of keys) {
    const expired = await stores.retention.expired(id, ago(retentionDays * DAY_MS), left, stuck);
    const removed = await apart(expired, async (ids) => (await stores.jobs.remove(ids)).length, deadline);
    deleted += removed.done;
    left -= expired.length;
    all = bothOf(all, removed);
    stuck = [...stuck, ...removed.stuck];
    // This key may have more: the next piece comes back to it.
    if (left === 0 && stuck.length <= STUCK) break;
    [done, stuck] = [id, []];
    if (left === 0 || Date.now() > deadline) break;
  }
  const over = keys.length < KEYS && done === (keys.at(-1)?.id ?? done);
  const next = stuck.length === 0 ? done : JSON.stringify({ done, stuck });
  return { next: over ? null : next, counts: { deleted, failed: all.failed }, problems: all.problems };
}

/** @param after ids of the jobs that keep their input because it can't be dropped */
async function dropFailedInputs(
  { stores }: SweepDeps,
  batch: number,
  before: Date,
  after: string,
): Promise<SweepBatch> {
  const stuck = after === '' ? [] : after.split(' ');
  const due = await stores.retention.failedWithInput(before, batch, stuck);
  const dropped = await apart(due, (ids) => stores.jobs.dropInputs(ids), pageDeadline());
  stuck.push(...dropped.stuck);
  const { done: inputsDropped, failed, problems } = dropped;
  const over = due.length < batch || stuck.length > STUCK;
  return { next: over ? null : stuck.join(' '), counts: { inputsDropped, failed }, problems };
}

async function removeOwedImages(deps: SweepDeps, after: string): Promise<SweepBatch> {
  const { refs, next } = await deps.stores.removals.pending(after, OBJECTS);
  const counts = await remove(deps, refs);
  // When the store is away, tomorrow is soon enough.
  return { next: counts.removed === 0 && (await isAway(deps)) ? null : next, counts };
}

const isAway = ({ images }: SweepDeps) =>
  images.list('inputs', new Date(0), undefined, 1).then(
    () => false,
    () => true,
  );

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
