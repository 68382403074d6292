import { activityInfo, heartbeat } from '@temporalio/activity';
import type { Plan } from '../../catalog/catalog.ts';
import { NotFound } from '../../domain/errors.ts';
import { type CallSummary, summarizeCall } from '../../domain/generator-call.ts';
import type { ImageFormat, JobFailure, ObjectRef } from '../../domain/records.ts';
import { GeneratorError } from '../../generators/errors.ts';
import { ImageProcessEnded } from '../../imaging/processes/errors.ts';
import { withDeadline } from '../../runtime/process.ts';
import { complete, type JobEnd, jobEnd } from './completion.ts';
import { renderFailure } from './render-failure.ts';
import { type RenderJobDeps, renderJob } from './render-job.ts';

const HEARTBEAT_MS = 4000;
/** Renders that end sooner send no heartbeat, which saves Temporal the call. */
const FIRST_HEARTBEAT_MS = 1000;
/** Time limit for completing the job inside the render activity; after it, the workflow completes the job. */
const COMPLETE_MS = 2000;

export interface RenderInput {
  jobId: string;
  accountId: string;
  plan: Plan;
  format: ImageFormat;
  input: ObjectRef;
  /** Whether the job may have ended before the first attempt, because the workflow was reset. */
  mayHaveEnded: boolean;
}

export interface RenderResult {
  results: ObjectRef[];
  /** Milliseconds from the start of the first attempt; after a retry, its wait for a renderer counts too. */
  processingMs: number;
  /** The calls to upstreams, for the Temporal UI; absent where only local generators render. */
  calls?: CallSummary[];
}

/** `end` is null when the job could not be completed within {@link COMPLETE_MS}; the workflow then completes it. */
export interface RenderReport extends RenderResult {
  end: JobEnd | null;
}

/** Heartbeat details, passed from attempt to attempt. */
interface Progress {
  /** Image processes that crashed or were killed while working on this image. */
  processesEnded: number;
  /** Attempts that failed because the generator was unavailable. */
  generatorFailures: number;
}

/** Image processes one image may end: the first may be bad luck, the second is caused by the image. */
const PROCESSES_PER_IMAGE = 2;

/** About half an hour at the retry intervals of the workflow. */
const GENERATOR_TRIES = 30;

export interface RenderDeps extends RenderJobDeps {
  /** Attempts while the generator is unavailable; {@link GENERATOR_TRIES} by default, fewer in tests. */
  generatorTries?: number;
}

export function createRenderingActivities(deps: RenderDeps) {
  return {
    /**
     * Renders the job's image, stores the result and completes the job. Every attempt stores its result under a new
     * key; the job names the one that counts. Fails with a {@link JobFailure} in the details. Failures that neither
     * the image nor the generator caused are always retryable.
     */
    async renderJob(input: RenderInput): Promise<RenderReport> {
      const elapsed = stopwatch();
      const progress = savedProgress();
      const stopBeating = beat(progress);
      try {
        return (await reportIfEnded(deps, input)) ?? (await renderAndComplete(deps, input, elapsed));
      } catch (error) {
        const lastTry = countFailure(progress, error, deps);
        // The next attempt gets the details of the last heartbeat.
        heartbeat(progress);
        throw renderFailure(error, { processingMs: elapsed(), lastTry, ...(await callsOf(deps, input)) });
      } finally {
        stopBeating();
      }
    },
  };
}

/** The report when an earlier attempt, or the run before a reset, has already ended the job; otherwise undefined. */
async function reportIfEnded(deps: RenderDeps, input: RenderInput): Promise<RenderReport | undefined> {
  const { jobId, mayHaveEnded } = input;
  if (activityInfo().attempt === 1 && !mayHaveEnded) return undefined;
  const ended = await deps.stores.jobs.ended(jobId);
  if (ended === undefined) return undefined;
  const { results, processingMs } = ended.job;
  const calls = await callsOf(deps, input);
  return { results, processingMs: processingMs ?? 0, ...calls, end: await jobEnd(deps, ended) };
}

async function renderAndComplete(
  deps: RenderDeps,
  input: RenderInput,
  elapsed: () => number,
): Promise<RenderReport> {
  const results = [await renderJob(deps, input)];
  const result = { results, processingMs: elapsed(), ...(await callsOf(deps, input)) };
  try {
    return { ...result, end: await withDeadline(COMPLETE_MS, complete(deps, input.jobId, result)) };
  } catch (error) {
    if (error instanceof NotFound) throw error;
    return { ...result, end: null };
  }
}

/** Nothing for a job that only local generators render, without asking MongoDB. */
async function callsOf(
  { stores, generators }: RenderDeps,
  { jobId, plan }: RenderInput,
): Promise<{ calls?: CallSummary[] }> {
  if (generators.forPlan(plan).every(({ kind }) => kind === 'local')) return {};
  const calls = await stores.generatorCalls.list(jobId).catch(() => []);
  return { calls: calls.map(summarizeCall) };
}

/** Counts the failure in `progress`. @returns whether its kind has used up its attempts */
function countFailure(
  progress: Progress,
  error: unknown,
  { generatorTries = GENERATOR_TRIES }: RenderDeps,
): boolean {
  if (error instanceof ImageProcessEnded && error.reason !== 'stopped') progress.processesEnded += 1;
  if (error instanceof GeneratorError && error.failure.kind === 'unavailable')
    progress.generatorFailures += 1;
  return progress.processesEnded >= PROCESSES_PER_IMAGE || progress.generatorFailures >= generatorTries;
}

const savedProgress = (): Progress =>
  (activityInfo().heartbeatDetails as Progress | undefined) ?? { processesEnded: 0, generatorFailures: 0 };

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
