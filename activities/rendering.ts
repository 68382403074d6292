import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Plan } from '../catalog/catalog.ts';
import type { AttemptState, Generator } from '../generators/port.ts';
import { finishResult } from '../imaging/finish.ts';
import { prepareInput } from '../imaging/prepare.ts';
import type { ImageStore } from '../stores/images.ts';
import type { Stores } from '../stores/ports.ts';
import type { ImageFormat, ObjectRef } from '../stores/records.ts';
import { renderFailure } from './failures.ts';

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
  resume?: AttemptState;
}

export interface RenderDeps {
  stores: Stores;
  images: ImageStore;
  generator: Generator;
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
        throw renderFailure(error, Date.now() - progress.startedAt);
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

async function render({ stores, images, generator }: RenderDeps, input: RenderInput, progress: Progress) {
  const { plan, format, accountId } = input;
  const [bytes, paid] = await Promise.all([
    images.getInput(input.input.key),
    stores.packs.hasPaid(accountId),
  ]);
  const source = await prepareInput(bytes, plan.neverSmaller ? {} : { longestSideAtMost: plan.longestSide });
  const rendered = await generator.render({
    image: source.bytes,
    mime: source.mime,
    width: source.width,
    height: source.height,
    tool: plan.tool,
    instruction: plan.instruction,
    settings: plan.settings,
    target: { longestSide: plan.longestSide, neverSmaller: plan.neverSmaller },
    signal: cancellationSignal(),
    ...(progress.resume === undefined ? {} : { resume: progress.resume }),
    onSubmitted(state) {
      progress.resume = state;
      heartbeat(progress);
    },
  });
  const result = await finishResult('mime' in rendered ? rendered.bytes : rendered, {
    format,
    longestSide: plan.longestSide,
    neverSmaller: plan.neverSmaller,
    inputSize: source.inputSize,
    watermark: !paid,
  });
  await images.putResult(input.resultKey, result.bytes, `image/${format}`);
}
