import { activityInfo, cancellationDetails, heartbeat } from '@temporalio/activity';
import { createSharedLimit, type Limit, type Permit } from '../../lib/admission/limit.ts';
import { NotFound } from '../../lib/domain/errors.ts';
import { type CallSummary, summarizeCall } from '../../lib/domain/generator-call.ts';
import { GeneratorError } from '../../lib/generators/errors.ts';
import type { Generator } from '../../lib/generators/port.ts';
import { withDeadline } from '../../lib/process/process.ts';
import { FAILURES } from '../../lib/protocol/failure-types.ts';
import type { RenderInput, RenderReport, RenderResult } from '../../lib/protocol/render.ts';
import { retryAfter } from '../retry-after.ts';
import { complete, jobEnd } from './completion.ts';
import { cancelCallsOf, makeResult, type ResultDeps } from './make-result.ts';
import { isFinal, isLastTry, type RenderProgress, renderFailure } from './render-failure.ts';

const HEARTBEAT_MS = 4000;
/** A render that ends sooner sends no heartbeat, which saves Temporal the call. */
const FIRST_HEARTBEAT_MS = 1000;
/**
 * Time limit for completing the job inside the render activity. After it, the workflow completes
 * the job.
 */
const COMPLETE_MS = 2000;
/** Waits of a job whose account has all the renders that it may have. */
const SHORTEST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;
const WAIT_GROWTH = 1.5;

export interface RenderDeps extends ResultDeps {
  limits: RenderLimits;
}

/** The limits of one renderer. Owners: accounts. */
export interface RenderLimits {
  /**
   * Renders that call upstreams. Such a render may last as long as its task. An attempt without a
   * permit ends, and Temporal starts the next attempt later.
   */
  renders: Limit;
  /** Clients' images in memory. */
  images: Limit;
}

/** @param renders renders in all; @param images clients' images in memory */
export const createRenderLimits = (renders: number, images: number): RenderLimits => ({
  renders: createSharedLimit(renders),
  images: createSharedLimit(images),
});

export function createRenderActivities(deps: RenderDeps) {
  return {
    /**
     * Renders the job's image, stores the result and completes the job. Every attempt stores its
     * result under a new key; the job names the result that counts. Fails with a JobFailure in the
     * details. A failure that neither the image nor the generator caused is always retryable.
     */
    async renderJob(input: RenderInput): Promise<RenderReport> {
      const elapsed = stopwatch();
      using _permit = waitsForUpstreams(deps, input) ? permitFor(deps.limits, input, attempt()) : undefined;
      const progress = savedProgress();
      using _beats = sendHeartbeats(progress);
      const own = new Set<string>();
      try {
        return (await reportIfEnded(deps, input)) ?? (await renderAndComplete(deps, input, elapsed, own));
      } catch (error) {
        throw await attemptFailure(deps, input, { error, progress, own, processingMs: elapsed() });
      }
    },

    /**
     * Cancels what upstreams still do for a job that has ended. The last attempt has not always
     * done so: it may have timed out, or the job was cancelled between two attempts.
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
 * Leaves renders to other accounts. Temporal hands out tasks by account only where fairness is
 * switched on, and even then a render takes a slot of the renderer until it ends.
 * @param attempt of the activity, from 1: the more attempts there were, the longer the wait until
 * the next one
 * @throws ApplicationFailure when the account has all the renders that it may have
 */
export function permitFor(
  { renders }: Pick<RenderLimits, 'renders'>,
  { accountId }: Pick<RenderInput, 'accountId'>,
  attempt: number,
): Permit {
  const permit = renders.acquireNow(accountId, 1);
  if (permit !== undefined) return permit;
  const waitMs = Math.min(SHORTEST_WAIT_MS * WAIT_GROWTH ** (attempt - 1), LONGEST_WAIT_MS);
  throw retryAfter(
    FAILURES.render_waiting,
    'The account has as many renders in this renderer as it may have: this job waits for its turn.',
    waitMs * (0.75 + Math.random() / 2),
  );
}

/**
 * The report when an earlier attempt, or the run before a reset, has already ended the job;
 * otherwise undefined.
 */
async function reportIfEnded(deps: RenderDeps, input: RenderInput): Promise<RenderReport | undefined> {
  const { jobId, mayHaveEnded } = input;
  if (attempt() === 1 && !mayHaveEnded) return undefined;
  const ended = await deps.stores.jobs.ended(jobId);
  if (ended === undefined) return undefined;
  const { results, processingMs, status } = ended.job;
  // The run before a reset may have been stopped before it could cancel the calls.
  if (status === 'failed') await tryToCancelCalls(deps, input);
  const work = await workOn(deps, input, status === 'failed' ? 'failed' : 'completed');
  return { results, processingMs: processingMs ?? 0, ...work, end: await jobEnd(deps, ended) };
}

async function renderAndComplete(
  deps: RenderDeps,
  input: RenderInput,
  elapsed: () => number,
  own: Set<string>,
): Promise<RenderReport> {
  const results = [await makeResult(deps, input, deps.limits.images, own)];
  const processingMs = elapsed();
  const result = { results, processingMs, ...(await workOn(deps, input, 'completed')) };
  try {
    return { ...result, end: await withDeadline(COMPLETE_MS, complete(deps, input.jobId, result)) };
  } catch (error) {
    if (error instanceof NotFound) throw error;
    return { ...result, end: null };
  }
}

interface Failed {
  error: unknown;
  progress: RenderProgress;
  /** Ids of the calls that the attempt has begun. */
  own: ReadonlySet<string>;
  processingMs: number;
}

/**
 * What an attempt that failed reports to Temporal. Cancels all calls of a job that was cancelled or
 * has ended. A final failure cancels only the attempt's own calls: if the attempt stood still,
 * another one may be making a call now. The workflow cancels the rest once the job has failed.
 */
async function attemptFailure(
  deps: RenderDeps,
  input: RenderInput,
  { error, progress, own, processingMs }: Failed,
): Promise<Error> {
  const { unavailableMs } = deps;
  const lastTry = isLastTry(progress, error, { attempt: attempt(), processingMs, unavailableMs });
  // The next attempt gets the details of the last heartbeat.
  heartbeat(progress);
  if (cancellationDetails()?.cancelRequested || (await hasEnded(deps, input, error)))
    await tryToCancelCalls(deps, input);
  else if (isFinal(error, lastTry)) await tryToCancelCalls(deps, input, own);
  return renderFailure(error, { processingMs, lastTry, ...(await workOn(deps, input, 'failed')) });
}

/** Whether the job has ended, also by being voided: then no workflow cancels its calls. */
async function hasEnded({ stores }: RenderDeps, { jobId }: RenderInput, error: unknown): Promise<boolean> {
  if (error instanceof NotFound) return true;
  if (!(error instanceof GeneratorError && error.failure.kind === 'exhausted')) return false;
  return stores.jobs.ended(jobId).then(
    (job) => job !== undefined,
    (failure: unknown) => failure instanceof NotFound,
  );
}

/**
 * If this fails, the workflow calls `cancelCalls`: it learns of the open calls when it marks the
 * job as failed.
 */
async function tryToCancelCalls(
  deps: RenderDeps,
  input: RenderInput,
  only?: ReadonlySet<string>,
): Promise<void> {
  if (usesUpstreams(deps, input)) await cancelCallsOf(deps, input.jobId, only).catch(() => {});
}

type Work = Pick<RenderResult, 'attempts' | 'generator' | 'calls'>;

/**
 * What was done for the job so far. MongoDB is not asked for the calls of a job that only local
 * generators render.
 */
async function workOn(deps: RenderDeps, input: RenderInput, end: 'completed' | 'failed'): Promise<Work> {
  const isLocal = !usesUpstreams(deps, input);
  const recorded = isLocal ? [] : await deps.stores.generatorCalls.list(input.jobId).catch(() => []);
  const calls = recorded.map(summarizeCall);
  const generator = generatorOf(deps.generators.forPlan(input.plan), calls, end);
  return {
    attempts: attempt(),
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

const attempt = () => activityInfo().attempt;

const savedProgress = (): RenderProgress =>
  (activityInfo().heartbeatDetails as RenderProgress | undefined) ?? { processesEnded: 0 };

/**
 * Elapsed render time in milliseconds. Earlier attempts are timed by Temporal, because renderers'
 * clocks differ.
 */
function stopwatch(): () => number {
  const { scheduledTimestampMs, currentAttemptScheduledTimestampMs } = activityInfo();
  const earlierMs = attempt() === 1 ? 0 : currentAttemptScheduledTimestampMs - scheduledTimestampMs;
  const start = performance.now();
  return () => Math.round(earlierMs + performance.now() - start);
}

function sendHeartbeats(progress: RenderProgress): Disposable {
  const first = setTimeout(() => heartbeat(progress), FIRST_HEARTBEAT_MS);
  const interval = setInterval(() => heartbeat(progress), HEARTBEAT_MS);
  return {
    [Symbol.dispose]() {
      clearTimeout(first);
      clearInterval(interval);
    },
  };
}
