import type { ObjectRef } from '../../lib/domain/records.ts';
import { removeImages } from '../../lib/domain/remove-images.ts';
import type { ImageStore } from '../../lib/stores/image-store.ts';
import type { Stores } from '../../lib/stores/stores.ts';
import type { WorkflowProbe } from '../workflow-probe.ts';
import { auditLedgers } from './audit-ledgers.ts';
import { assertOwnBuckets } from './installation.ts';
import { type OrphanRule, removeOrphans } from './orphans.ts';
import {
  bisect,
  mergeProblems,
  NO_PROBLEMS,
  pageDeadline,
  processItems,
  type RetentionBatch,
} from './page.ts';
import { DAY_MS, RETENTION, type RetentionRules } from './rules.ts';

export interface RetentionDeps {
  stores: Stores;
  images: Pick<ImageStore, 'list' | 'mark' | 'remove'>;
  /** Overrides of {@link RETENTION}, for tests. */
  retention?: Partial<RetentionRules>;
  workflows: Pick<WorkflowProbe, 'deleteHistory'>;
}

/** Concurrent calls to Temporal. */
const PROBES = 50;
const HISTORIES = 200;
const KEYS = 100;
/** The most objects that one delete call of S3 takes. */
const OBJECTS = 1000;
/** The most jobs that a query excludes because their deletion keeps failing. */
const MAX_STUCK = 1000;

/** What an operator has said when starting the run. */
export interface RetentionOptions {
  /** Agrees to the removal of today's orphans, however many. */
  confirmed?: boolean;
}

/**
 * Steps of the retention workflow. Each runs one batch from the cursor `after` ('' for the first
 * one). Idempotent.
 */
export function createRetentionActivities(deps: RetentionDeps) {
  const rules = { ...RETENTION, ...deps.retention };
  const orphanDeps = { ...deps, remove: (refs: readonly ObjectRef[]) => remove(deps, refs) };
  const orphansOf =
    (bucket: ObjectRef['bucket']): Step =>
    (after, options) =>
      removeOrphans(orphanDeps, orphanRule(rules, bucket), after, options?.confirmed ?? false);
  return {
    deleteExpiredJobs: (after: string) => deleteExpiredJobs(deps, rules.batch, after),
    deleteHistories: (after: string) => deleteHistories(deps, after),
    dropFailedInputs: (after: string) => dropFailedInputs(deps, rules.batch, ago(rules.failedInputMs), after),
    removeQueuedImages: withOwnBuckets(deps, (after) => removeQueuedImages(deps, after)),
    removeOrphanedInputs: withOwnBuckets(deps, orphansOf('inputs')),
    removeOrphanedResults: withOwnBuckets(deps, orphansOf('results')),
    auditLedgers: (after: string): Promise<RetentionBatch> =>
      auditLedgers(deps.stores, rules.auditPage, after),
  };
}

type Step = (after: string, options?: RetentionOptions) => Promise<RetentionBatch>;

/** Each batch checks the buckets first: they may have been exchanged since the last batch. */
const withOwnBuckets =
  (deps: RetentionDeps, step: Step): Step =>
  async (after, options) => {
    await assertOwnBuckets(deps);
    return step(after, options);
  };

function orphanRule(rules: RetentionRules, bucket: ObjectRef['bucket']): OrphanRule {
  const { orphanShare: share, orphansAlways: always } = rules;
  const [ageMs, keptMs] =
    bucket === 'inputs'
      ? [rules.orphanedInputMs, rules.orphanedInputKeptMs]
      : [rules.orphanedResultMs, rules.orphanedResultKeptMs];
  return { bucket, before: ago(ageMs), keptMs, share, always };
}

const ago = (ms: number) => new Date(Date.now() - ms);

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

/**
 * Cursor of {@link deleteExpiredJobs}: the last key that is done, and the jobs of the next key that
 * cannot be deleted.
 */
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
  let failures = NO_PROBLEMS;
  for (const { id, retentionDays } of keys) {
    const expired = await stores.retention.expired(id, ago(retentionDays * DAY_MS), left, stuck);
    const removed = await bisect(expired, async (ids) => (await stores.jobs.remove(ids)).length, deadline);
    deleted += removed.done;
    left -= expired.length;
    failures = mergeProblems(failures, removed);
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
  images.list('inputs', undefined, 1).then(
    () => false,
    () => true,
  );

async function remove(deps: RetentionDeps, refs: readonly ObjectRef[]) {
  const unremoved = await removeImages(deps, refs);
  return { removed: refs.length - unremoved, unremoved };
}
