import { randomUUID } from 'node:crypto';
import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Plan } from '../catalog/catalog.ts';
import { GeneratorError } from '../generators/errors.ts';
import type { AttemptState } from '../generators/port.ts';
import { ImageProcessEnded } from '../imaging/processes/errors.ts';
import { withDeadline } from '../runtime.ts';
import type { ImageStore } from '../stores/images.ts';
import { type JobFailure, NotFound } from '../stores/ports.ts';
import type { ImageFormat, ObjectRef } from '../stores/records.ts';
import { type CompletionDeps, complete, type JobEnd, jobEnd } from './completion.ts';
import { renderFailure } from './failures.ts';
import { type RenderParts, renderImage } from './render-image.ts';

const HEARTBEAT_MS = 4000;
/** A render that ends sooner costs Temporal no heartbeat. */
const FIRST_HEARTBEAT_MS = 1000;
/** How long a render waits for its completion before the workflow takes it over. */
const COMPLETE_MS = 2000;

export interface RenderInput {
  jobId: string;
  accountId: string;
  plan: Plan;
  format: ImageFormat;
  input: ObjectRef;
  /** Whether the job may have ended before the first attempt: the workflow was reset. */
  mayHaveEnded: boolean;
}

export interface RenderResult {
  results: ObjectRef[];
  /** Wall-clock milliseconds from the start of the first attempt; when there were more, its wait for a renderer too. */
  processingMs: number;
}

/** A render that is over. `end` is null when the job could not be completed at once; the workflow then sees to it. */
export interface RenderReport extends RenderResult {
  end: JobEnd | null;
}

/** Kept between attempts: what failed so far, and what the generator needs to go on where it stopped. */
interface Progress {
  /** Image processes that ended in the middle of this image. */
  processesEnded: number;
  /** Tries after which the generator was unavailable. */
  generatorFailures: number;
  resume?: AttemptState;
}

const STORE_TRIES = 3;
/** Image processes an image may bring down: one can be bad luck, a second one is the image. */
const PROCESSES_PER_IMAGE = 2;

/** About half an hour, at the pace of the workflow's retries. */
const GENERATOR_TRIES = 30;

export interface RenderDeps extends RenderParts, CompletionDeps {
  images: ImageStore;
  /** Tries a generator has that is unavailable; {@link GENERATOR_TRIES} unless a test says otherwise. */
  generatorTries?: number;
}

export function createRenderingActivities(deps: RenderDeps) {
  return {
    /**
     * Renders the job's image, stores the result and completes the job. Every attempt writes an object of its own, and
     * the one that the job names is the result. Fails with a {@link JobFailure} in the details; of what is no
     * failure of the image or the generator, no number of attempts is final.
     */
    async renderJob(input: RenderInput): Promise<RenderReport> {
      const elapsed = stopwatch();
      const progress = progressSoFar();
      const stopBeating = beat(progress);
      try {
        return (await endedBefore(deps, input)) ?? (await renderAndComplete(deps, input, progress, elapsed));
      } catch (error) {
        const lastTry = countFailure(progress, error, deps);
        // A failure carries the last heartbeat to the next attempt.
        heartbeat(progress);
        throw renderFailure(error, elapsed(), lastTry);
      } finally {
        stopBeating();
      }
    },
  };
}

/** The report of a job that an earlier attempt, or a run before a reset, has brought to its end. */
async function endedBefore(
  deps: RenderDeps,
  { jobId, mayHaveEnded }: RenderInput,
): Promise<RenderReport | undefined> {
  if (activityInfo().attempt === 1 && !mayHaveEnded) return undefined;
  const ended = await deps.stores.jobs.ended(jobId);
  if (ended === undefined) return undefined;
  const { results, processingMs } = ended.job;
  return { results, processingMs: processingMs ?? 0, end: await jobEnd(deps, ended) };
}

async function renderAndComplete(
  deps: RenderDeps,
  input: RenderInput,
  progress: Progress,
  elapsed: () => number,
): Promise<RenderReport> {
  const results = [await render(deps, input, progress)];
  const result = { results, processingMs: elapsed() };
  try {
    return { ...result, end: await withDeadline(COMPLETE_MS, complete(deps, input.jobId, result)) };
  } catch (error) {
    if (error instanceof NotFound) throw error;
    return { ...result, end: null };
  }
}

/** Counts what may be final in the end. @returns whether it is by now */
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

const progressSoFar = (): Progress =>
  (activityInfo().heartbeatDetails as Progress | undefined) ?? { processesEnded: 0, generatorFailures: 0 };

/** Milliseconds that the rendering has taken; of the attempts before by Temporal's clock, as renderers' clocks differ. */
function stopwatch(): () => number {
  const { attempt, scheduledTimestampMs, currentAttemptScheduledTimestampMs } = activityInfo();
  const before = attempt === 1 ? 0 : currentAttemptScheduledTimestampMs - scheduledTimestampMs;
  const start = performance.now();
  return () => Math.round(before + performance.now() - start);
}

function beat(progress: Progress): () => void {
  const first = setTimeout(() => heartbeat(progress), FIRST_HEARTBEAT_MS);
  const further = setInterval(() => heartbeat(progress), HEARTBEAT_MS);
  return () => {
    clearTimeout(first);
    clearInterval(further);
  };
}

/** @returns the object that was stored */
async function render(deps: RenderDeps, input: RenderInput, progress: Progress): Promise<ObjectRef> {
  const { stores, images } = deps;
  const [image, paid] = await Promise.all([
    images.getInput(input.input.key),
    stores.packs.hasPaid(input.accountId),
  ]);
  const bytes = await renderImage(deps, input, {
    image,
    watermark: !paid,
    signal: cancellationSignal(),
    resume: progress.resume,
    onSubmitted(state) {
      progress.resume = state;
      heartbeat(progress);
    },
  });
  return store(images, input, bytes);
}

/** Under another key each time: one that was given up may still arrive, and belongs to no job then. */
async function store(images: ImageStore, input: RenderInput, bytes: Buffer): Promise<ObjectRef> {
  for (let tries = 1; ; tries += 1) {
    const key = `${input.accountId}/${randomUUID()}-${input.plan.label}.${input.format}`;
    try {
      await images.putResult(key, bytes, `image/${input.format}`);
      return { bucket: 'results', key };
    } catch (error) {
      if (tries === STORE_TRIES) throw error;
    }
  }
}
