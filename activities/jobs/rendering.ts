import { activityInfo, cancellationDetails, heartbeat } from '@temporalio/activity';
import { createSharedLimit, type Limit, type Permit } from '../../lib/admission/limit.ts';
import { NotFound } from '../../lib/domain/errors.ts';
import { type CallSummary, summarizeCall } from '../../lib/domain/generator-call.ts';
import type { JobFailure } from '../../lib/domain/records.ts';
import type { Generator } from '../../lib/generators/port.ts';
import { withDeadline } from '../../lib/process/process.ts';
import { FAILURES } from '../../lib/protocol/failure-types.ts';
import type { RenderInput, RenderReport, RenderResult } from '../../lib/protocol/render.ts';
import { retryAfter } from '../retry-after.ts';
import { complete, jobEnd } from './completion.ts';
import { isLastTry, type Progress } from './last-try.ts';
import { isFinal, renderFailure } from './render-failure.ts';
import { cancelCallsOf, type RenderJobDeps, renderJob } from './render-job.ts';

const HEARTBEAT_MS = 4000;
/** Renders that end sooner send no heartbeat, which saves Temporal the call. */
const FIRST_HEARTBEAT_MS = 1000;
/** Time limit for completing the job inside the render activity; after it, the workflow completes the job. */
const COMPLETE_MS = 2000;
/** Waits of an account that has its limit of renders. */
const SHORTEST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;
const WAIT_GROWTH = 1.5;

export interface RenderDeps extends RenderJobDeps {
  limits: RenderLimits;
}

/** The limits of one renderer. Owners: accounts. */
export interface RenderLimits {
  /**
   * Renders that call upstreams or wait for them, which may take as long as a task hangs. Nobody waits for it: an attempt
   * without a permit ends, and Temporal starts the next one later.
   */
  renders: Limit;
  /** Clients' images in memory. */
  images: Limit;
}

/** @param renders in all; @param images clients' images in memory */
export const createRenderLimits = (renders: number, images: number): RenderLimits => ({
  renders: createSharedLimit(renders),
  images: createSharedLimit(images),
});

export function createRenderingActivities(deps: RenderDeps) {
  return {
    /**
     * Renders the job's image, stores the result and completes the job. Every attempt stores its result under a new
     * key; the job names the one that counts. Fails with a {@link JobFailure} in the details. Failures that neither
     * the image nor the generator caused are always retryable.
     */
    async renderJob(input: RenderInput): Promise<RenderReport> {
      const elapsed = stopwatch();
      const { attempt } = activityInfo();
      using _permit = waitsForUpstreams(deps, input) ? permitOf(deps.limits, input, attempt) : undefined;
      const progress = savedProgress();
      const stopBeating = beat(progress);
      try {
        return (await reportIfEnded(deps, input)) ?? (await renderAndComplete(deps, input, elapsed));
      } catch (error) {
        const processingMs = elapsed();
        const lastTry = isLastTry(progress, error, {
          attempt,
          processingMs,
          unavailableMs: deps.unavailableMs,
        });
        // The next attempt gets the details of the last heartbeat.
        heartbeat(progress);
        if (endsJob(error, lastTry)) await cancelCalls(deps, input);
        throw renderFailure(error, { processingMs, lastTry, ...(await workOn(deps, input, 'failed')) });
      } finally {
        stopBeating();
      }
    },

    /**
     * Cancels what upstreams still do for a job that has ended without a result, where its last attempt could not:
     * the job was cancelled between two attempts, or an attempt timed out.
     */
    async cancelCalls(jobId: string): Promise<void> {
      try {
        await cancelCallsOf(deps, jobId);
      } catch (error) {
        throw renderFailure(error, { processingMs: 0, lastTry: false });
      }
    },
  };
}

/**
 * Leaves renders to other accounts. Temporal hands out tasks by account only where fairness is switched on, and even then
 * a slot is taken until its render ends.
 * @param attempt of the activity, from 1: the more there were, the longer the wait until the next one
 * @throws ApplicationFailure when the account has all the renders that it may have
 */
export function permitOf(
  { renders }: Pick<RenderLimits, 'renders'>,
  { accountId }: Pick<RenderInput, 'accountId'>,
  attempt: number,
): Permit {
  const permit = renders.acquireNow(accountId, 1);
  if (permit !== undefined) return permit;
  const waitMs = Math.min(SHORTEST_WAIT_MS * WAIT_GROWTH ** (attempt - 1), LONGEST_WAIT_MS);
  throw retryAfter(
    FAILURES.render_waiting,
    'The account has its share of the slots of this renderer; this job waits for its turn.',
    waitMs * (0.75 + Math.random() / 2),
  );
}

/** Whether no attempt follows this one. An attempt is also stopped when its workflow was reset, or its renderer stops. */
const endsJob = (error: unknown, lastTry: boolean) =>
  cancellationDetails()?.cancelRequested || isFinal(error, lastTry);

/** What fails here is left to the workflow, which finds it when the job is marked as failed. */
async function cancelCalls(deps: RenderDeps, input: RenderInput): Promise<void> {
  if (usesUpstreams(deps, input)) await cancelCallsOf(deps, input.jobId).catch(() => {});
}

/** The report when an earlier attempt, or the run before a reset, has already ended the job; otherwise undefined. */
async function reportIfEnded(deps: RenderDeps, input: RenderInput): Promise<RenderReport | undefined> {
  const { jobId, mayHaveEnded } = input;
  if (activityInfo().attempt === 1 && !mayHaveEnded) return undefined;
  const ended = await deps.stores.jobs.ended(jobId);
  if (ended === undefined) return undefined;
  const { results, processingMs, status } = ended.job;
  // The run before a reset may have been stopped before it could cancel the calls.
  if (status === 'failed') await cancelCalls(deps, input);
  const work = await workOn(deps, input, status === 'failed' ? 'failed' : 'completed');
  return { results, processingMs: processingMs ?? 0, ...work, end: await jobEnd(deps, ended) };
}

async function renderAndComplete(
  deps: RenderDeps,
  input: RenderInput,
  elapsed: () => number,
): Promise<RenderReport> {
  const results = [await renderJob(deps, input, deps.limits.images)];
  const processingMs = elapsed();
  const result = { results, processingMs, ...(await workOn(deps, input, 'completed')) };
  try {
    return { ...result, end: await withDeadline(COMPLETE_MS, complete(deps, input.jobId, result)) };
  } catch (error) {
    if (error instanceof NotFound) throw error;
    return { ...result, end: null };
  }
}

type Work = Pick<RenderResult, 'attempts' | 'generator' | 'calls'>;

/** What was done for the job so far. MongoDB is not asked for the calls of a job that only local generators render. */
async function workOn(deps: RenderDeps, input: RenderInput, end: 'completed' | 'failed'): Promise<Work> {
  const { attempt: attempts } = activityInfo();
  const candidates = deps.generators.forPlan(input.plan);
  const isLocal = !usesUpstreams(deps, input);
  const recorded = isLocal ? [] : await deps.stores.generatorCalls.list(input.jobId).catch(() => []);
  const calls = recorded.map(summarizeCall);
  const generator = generatorOf(candidates, calls, end);
  return {
    attempts,
    ...(generator === undefined ? {} : { generator }),
    ...(isLocal ? {} : { calls }),
  };
}

/** The generator that made the result, or was asked last; undefined if none was asked. */
function generatorOf(
  candidates: readonly Generator[],
  calls: readonly CallSummary[],
  end: 'completed' | 'failed',
): string | undefined {
  const call = end === 'completed' ? calls.find(({ outcome }) => outcome === 'completed') : calls.at(-1);
  const mayBeLocal = end === 'completed' || candidates[0]?.kind === 'local';
  const local = mayBeLocal ? candidates.find(({ kind }) => kind === 'local') : undefined;
  return call?.generator ?? local?.name;
}

const waitsForUpstreams = ({ generators }: RenderDeps, { plan }: RenderInput) =>
  generators.forPlan(plan)[0]?.kind === 'upstream';

const usesUpstreams = ({ generators }: RenderDeps, { plan }: RenderInput) =>
  generators.forPlan(plan).some(({ kind }) => kind === 'upstream');

const savedProgress = (): Progress =>
  (activityInfo().heartbeatDetails as Progress | undefined) ?? { processesEnded: 0 };

/** Elapsed render time in milliseconds. Earlier attempts are timed by Temporal, because renderers' clocks differ. */
function stopwatch(): () => number {
  const { attempt, scheduledTimestampMs, currentAttemptScheduledTimestampMs } = activityInfo();
  const earlierMs = attempt === 1 ? 0 : currentAttemptScheduledTimestampMs - scheduledTimestampMs;
  const start = performance.now();
  return () => Math.round(earlierMs + performance.now() - start);
}

function beat(progress: Progress): () => void {
  const first = setTimeout(() => heartbeat(progress), FIRST_HEARTBEAT_MS);
  const interval = setInterval(() => heartbeat(progress), HEARTBEAT_MS);
  return () => {
    clearTimeout(first);
    clearInterval(interval);
  };
}
