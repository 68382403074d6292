import type { Client } from '@temporalio/client';
import { NotFound } from '../../lib/domain/errors.ts';
import type { JobRecord } from '../../lib/domain/records.ts';
import type { ImageStore } from '../../lib/stores/image-store.ts';
import type { Stores } from '../../lib/stores/stores.ts';
import { sentenceOf } from '../errors.ts';
import { type JobRun, type RunFacts, readFacts } from './job-runs.ts';

export interface CompareDeps {
  client: Client;
  stores: Stores;
  images: ImageStore;
  /** Whether to repair what can be repaired. */
  apply: boolean;
  /** Ids of jobs that are left as they are. */
  except: ReadonlySet<string>;
}

/**
 * A job whose state in MongoDB is older than that of its workflow.
 * - `restore`: MongoDB lacks it. It was charged, and its result exists or its workflow still renders it.
 * - `complete`: In MongoDB it is processing, but its workflow has completed it.
 * - `none`: The command only reports it.
 */
export interface JobFinding {
  run: JobRun;
  repair: 'restore' | 'complete' | 'none';
  /** Why it was not or cannot be repaired; null if it was or can be repaired. */
  reason: string | null;
  /** The repair is made. */
  done: boolean;
  /** An operator has to do something. */
  open: boolean;
}

/** @returns undefined if MongoDB knows all that the workflow does */
export async function compareJob(deps: CompareDeps, run: JobRun): Promise<JobFinding | undefined> {
  try {
    const job = await deps.stores.jobs.get(run.draft.jobId);
    if (job !== undefined && (job.status !== 'processing' || run.isOpen)) return undefined;
    const facts = await readFacts(deps.client, run);
    if (!facts.accepted) return undefined;
    return await (job === undefined ? restore(deps, run, facts) : complete(deps, run, facts, job));
  } catch (error) {
    return { run, repair: 'none', reason: sentenceOf(error), done: false, open: true };
  }
}

const left = (run: JobRun, reason: string, open: boolean): JobFinding => ({
  run,
  repair: 'none',
  reason,
  done: false,
  open,
});

/** The job is processing in MongoDB, and its workflow has ended. */
async function complete(
  { stores, images, apply, except }: CompareDeps,
  run: JobRun,
  { end, completed }: RunFacts,
  job: JobRecord,
): Promise<JobFinding | undefined> {
  // The reconciler refunds a job whose workflow ended without a result.
  if (!completed || end === null) return undefined;
  if (except.has(job.id)) return left(run, 'It is excepted.', false);
  if (!(await allExist(images, end.results)))
    return left(run, 'It was completed, but its result does not exist any more. It will be refunded.', false);
  if (!apply) return { run, repair: 'complete', reason: null, done: false, open: true };
  const { results, processingMs, generator } = end;
  const result = {
    results,
    processingMs: processingMs ?? 0,
    ...(generator === undefined ? {} : { generator }),
  };
  const ended = await stores.jobs.complete(job.id, result);
  const done = ended.job.status === 'completed';
  return {
    run,
    repair: 'complete',
    reason: done ? null : `It has ended as ${ended.job.status}.`,
    done,
    open: !done,
  };
}

/** MongoDB does not have the job: nothing is charged for it now. */
async function restore(deps: CompareDeps, run: JobRun, facts: RunFacts): Promise<JobFinding> {
  const { stores, images, apply, except } = deps;
  const { draft, isOpen } = run;
  const results = facts.end?.results ?? [];
  const obstacle = await obstacleOf(deps, run, facts);
  if (obstacle !== undefined) return left(run, obstacle.reason, obstacle.open);
  if (except.has(draft.jobId)) return left(run, 'It is excepted.', false);
  if (!apply) return { run, repair: 'restore', reason: null, done: false, open: true };
  // An open workflow still sends the webhook, which complete() plans.
  const lost = { createdAt: run.createdAt, end: isOpen || !facts.completed ? null : facts.end };
  const outcome = await stores.jobs.restore(draft, lost, () => allExist(images, results));
  if (outcome.outcome !== 'accepted') return left(run, REASONS[outcome.outcome], outcome.outcome === SHORT);
  if (isOpen && facts.completed && facts.end !== null)
    await stores.jobs.complete(draft.jobId, { results, processingMs: facts.end.processingMs ?? 0 });
  return { run, repair: 'restore', reason: null, done: true, open: false };
}

const SHORT = 'insufficient_credits';
const ANSWERED_5XX = 'Its request was answered 5xx, so that it must not be charged.';
const REASONS = {
  existing: 'Its Idempotency-Key was used again, so its client has another job.',
  insufficient_credits: 'The balance does not cover it. Add the missing packs and run this again.',
  voided: ANSWERED_5XX,
  unavailable: ANSWERED_5XX,
  gone: 'Its result was removed meanwhile.',
} as const;

/** Why a job that MongoDB lacks is not restored, as far as it can be known without a change. */
async function obstacleOf(
  { stores, images }: CompareDeps,
  { draft, isOpen }: JobRun,
  { end, completed, failed }: RunFacts,
): Promise<{ reason: string; open: boolean } | undefined> {
  if (failed || !(completed || isOpen))
    return { reason: 'It ended without a result, so nothing is owed for it.', open: false };
  if (completed && !(await allExist(images, end?.results ?? [])))
    return { reason: 'Its result does not exist any more: the job was deleted or undone.', open: false };
  const status = await accountStatus(stores, draft.accountId);
  if (status === undefined) return { reason: 'MongoDB does not have its account.', open: true };
  if (status === 'closed') return { reason: 'Its account is closed.', open: false };
  const { idempotencyKey: key, keyId } = draft;
  const used = key === null ? undefined : await stores.jobs.findByIdempotencyKey(keyId, key);
  return used === undefined ? undefined : { reason: REASONS.existing, open: false };
}

async function accountStatus({ accounts }: Stores, accountId: string) {
  try {
    return (await accounts.get(accountId)).status;
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

async function allExist(images: ImageStore, results: JobRecord['results']): Promise<boolean> {
  return (await Promise.all(results.map(images.exists))).every(Boolean);
}
