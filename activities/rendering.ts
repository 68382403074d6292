import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Plan } from '../catalog/catalog.ts';
import type { AttemptState } from '../generators/port.ts';
import { ImageProcessEnded } from '../imaging/processes/errors.ts';
import type { ImageStore } from '../stores/images.ts';
import type { Stores } from '../stores/ports.ts';
import type { ImageFormat, ObjectRef } from '../stores/records.ts';
import { renderFailure } from './failures.ts';
import { type RenderParts, renderImage } from './render-image.ts';

const HEARTBEAT_MS = 4000;
/** A render that ends sooner costs Temporal no heartbeat. */
const FIRST_HEARTBEAT_MS = 250;

export interface RenderInput {
  jobId: string;
  accountId: string;
  plan: Plan;
  format: ImageFormat;
  input: ObjectRef;
  /** Key of the result; fixed by the workflow, so that an attempt after a crash writes the same object. */
  resultKey: string;
}

export interface RenderResult {
  results: ObjectRef[];
  /** Wall-clock milliseconds from the start of the first attempt. */
  processingMs: number;
}

/** What the client is told of a failed generation. */
export interface RenderFailure {
  error: string;
  processingMs: number | null;
}

/** Kept between attempts: when the first one began, and what the generator needs to go on where it stopped. */
interface Progress {
  startedAt: number;
  /** Image processes that ended in the middle of this image. */
  processesEnded: number;
  resume?: AttemptState;
}

/** Image processes an image may bring down: one can be bad luck, a second one is the image. */
const PROCESSES_PER_IMAGE = 2;

export interface RenderDeps extends RenderParts {
  stores: Stores;
  images: ImageStore;
}

export function createRenderingActivities(deps: RenderDeps) {
  return {
    /** Renders the job's image and stores the result. Fails with a {@link RenderFailure} in the details. */
    async renderJob(input: RenderInput): Promise<RenderResult> {
      const progress = progressSoFar();
      const stopBeating = beat(progress);
      try {
        await render(deps, input, progress);
        return {
          results: [{ bucket: 'results', key: input.resultKey }],
          processingMs: Date.now() - progress.startedAt,
        };
      } catch (error) {
        if (error instanceof ImageProcessEnded) progress.processesEnded += 1;
        // A failure carries the last heartbeat to the next attempt.
        heartbeat(progress);
        const lastTry = progress.processesEnded >= PROCESSES_PER_IMAGE;
        throw renderFailure(error, Date.now() - progress.startedAt, lastTry);
      } finally {
        stopBeating();
      }
    },
  };
}

/** Of an attempt that ended before its first heartbeat nothing is known but when the activity was asked for. */
function progressSoFar(): Progress {
  const { heartbeatDetails, attempt, scheduledTimestampMs } = activityInfo();
  return (
    (heartbeatDetails as Progress | undefined) ?? {
      startedAt: attempt === 1 ? Date.now() : scheduledTimestampMs,
      processesEnded: 0,
    }
  );
}

function beat(progress: Progress): () => void {
  const first = setTimeout(() => heartbeat(progress), FIRST_HEARTBEAT_MS);
  const further = setInterval(() => heartbeat(progress), HEARTBEAT_MS);
  return () => {
    clearTimeout(first);
    clearInterval(further);
  };
}

async function render(deps: RenderDeps, input: RenderInput, progress: Progress): Promise<void> {
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
  await images.putResult(input.resultKey, bytes, `image/${input.format}`);
}
