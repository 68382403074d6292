import { createHash } from 'node:crypto';
import { acquireUnlessAborted, type Limit, type Permit } from '../../lib/admission/limit.ts';
import type { UpstreamTask } from '../../lib/domain/generator-call.ts';
import { GeneratorError } from '../../lib/generators/errors.ts';
import type {
  LocalGenerator,
  RenderedImage,
  UpstreamGenerator,
  UpstreamRequest,
} from '../../lib/generators/port.ts';
import type { CurrentCall } from '../../lib/generators/recorded-call.ts';
import type { ImageTasks, TaskRequest } from '../../lib/generators/tasks.ts';
import { estimateRender, taskLimits } from '../../lib/imaging/cost.ts';
import { CAUSED_BY_IMAGE, ImageError, ImageProcessEnded } from '../../lib/imaging/errors.ts';
import { inspectImage } from '../../lib/imaging/inspect.ts';
import type { PreparedInput } from '../../lib/imaging/prepare.ts';
import type { TaskContext } from '../../lib/imaging/processes/pool.ts';
import type { UpstreamFinish, UpstreamFinishOptions } from '../../lib/imaging/upstream-result.ts';
import type { RenderInput } from '../../lib/protocol/render.ts';

const accountTag = (accountId: string) => createHash('sha256').update(accountId).digest('hex').slice(0, 32);

/** Longest side of the image sent to an upstream, in pixels. The models shrink a larger image. */
const SENT_LONGEST_SIDE = 2048;

const FINISH_TRIES = 3;

/** One render attempt of one job. */
export interface RenderAttempt {
  input: RenderInput;
  /** Loads the client's image as stored. */
  load: () => Promise<Buffer>;
  /**
   * Limits how many clients' images are in memory. The permit is released before a wait for an
   * upstream.
   */
  inMemory: Limit;
  watermark: boolean;
  /** Child processes that decode, edit and encode pixels. */
  imageTasks: ImageTasks;
  /** Aborts when this attempt has to end, whatever the reason. */
  signal: AbortSignal;
  /**
   * Aborts when the job is cancelled, or when the grace period of the renderer is over. A call that
   * returns the image itself ignores all other reasons for which Temporal stops the attempt.
   */
  cancelled: AbortSignal;
}

/**
 * Runs all steps in one process, so that no pixels are copied between processes.
 * @param onStart called when a process has taken the image
 */
export function renderInProcess(
  attempt: RenderAttempt,
  { name: generator }: LocalGenerator,
  onStart: () => void,
): Promise<Buffer> {
  const { input, load, watermark, imageTasks } = attempt;
  const { tool, settings, longestSide, neverSmaller } = input.plan;
  const target = { longestSide, neverSmaller };
  return whileInMemory(attempt, async () => {
    const image = await load();
    const request = { image, tool, settings, target, format: input.format, watermark };
    const context = { ...contextOf(image, attempt), onStart };
    return (await imageTasks.run('renderLocally', { generator, request }, context)).bytes;
  });
}

export interface UpstreamResult {
  bytes: Buffer;
  costUsd: number | null;
  edgeRecall: number;
}

/**
 * The part of the prepared input that is kept while the upstream works: its sizes, and the small
 * copy.
 */
type SentInput = Omit<PreparedInput, 'bytes'>;

/** @throws GeneratorError also when the upstream's image cannot be used */
export async function renderUpstream(
  attempt: RenderAttempt,
  generator: UpstreamGenerator,
  call: CurrentCall,
): Promise<UpstreamResult> {
  const { rendered, prepared } = await callUpstream(attempt, generator, call);
  // For a resumed task, the input was not prepared before.
  const sent = prepared ?? (await whileInMemory(attempt, () => prepare(attempt, generator)));
  const finished = await finish(attempt, rendered.bytes, sent);
  if (!finished.ok) throw unusable(generator.name, finished, rendered.costUsd);
  return { ...finished, costUsd: rendered.costUsd };
}

interface Called {
  rendered: RenderedImage;
  /** Undefined for a task that was resumed. */
  prepared: SentInput | undefined;
}

/**
 * Holds a permit for the image in memory from the preparation until the upstream has accepted the
 * task.
 */
async function callUpstream(
  attempt: RenderAttempt,
  generator: UpstreamGenerator,
  call: CurrentCall,
): Promise<Called> {
  const { input, signal } = attempt;
  const { instruction } = input.plan;
  const resume = call.resume === undefined ? {} : { resume: call.resume };
  let prepared: SentInput | undefined;
  let permit: Permit | undefined;
  const request = async () => {
    permit = await inMemoryPermit(attempt);
    const { bytes, ...sent } = await prepare(attempt, generator);
    prepared = sent;
    await call.begin();
    // A call that returns the image itself may take minutes.
    if (generator.tasks === undefined) permit.release();
    return requestOf(attempt, bytes, sent);
  };
  const onSubmitted = (task: UpstreamTask) => {
    permit?.release();
    return call.onSubmitted(task);
  };
  try {
    return {
      rendered: await generator.render({ instruction, signal, request, onSubmitted, ...resume }),
      prepared,
    };
  } finally {
    permit?.release();
  }
}

async function prepare(attempt: RenderAttempt, { ratios = [] }: UpstreamGenerator): Promise<PreparedInput> {
  const image = await attempt.load();
  const longestSideAtMost = Math.min(attempt.input.plan.longestSide, SENT_LONGEST_SIDE);
  const options = { longestSideAtMost, ratios };
  return attempt.imageTasks.run('prepare', { image, options }, contextOf(image, attempt));
}

function requestOf(
  { input, signal }: RenderAttempt,
  image: Buffer,
  { width, height }: SentInput,
): UpstreamRequest {
  const { tool, instruction, longestSide, neverSmaller } = input.plan;
  return {
    key: input.jobId,
    accountTag: accountTag(input.accountId),
    image,
    mime: 'image/jpeg',
    width,
    height,
    tool,
    instruction,
    target: { longestSide, neverSmaller },
    signal,
  };
}

const inMemoryPermit = ({ input, inMemory, signal }: RenderAttempt): Promise<Permit> =>
  acquireUnlessAborted(inMemory, input.accountId, 1, signal);

async function whileInMemory<T>(attempt: RenderAttempt, work: () => Promise<T>): Promise<T> {
  using _permit = await inMemoryPermit(attempt);
  return await work();
}

async function finish(
  attempt: RenderAttempt,
  image: Buffer,
  { width, height, content, inputSize, reference }: SentInput,
): Promise<UpstreamFinish> {
  const { input, watermark } = attempt;
  const { longestSide, neverSmaller, checks } = input.plan;
  const sent = { width, height, content };
  const target = { longestSide, neverSmaller, format: input.format, inputSize, watermark };
  const options: TaskRequest<UpstreamFinishOptions> = { ...target, sent, reference, checks };
  for (let tries = 1; ; tries += 1) {
    try {
      const context = contextOf(image, attempt, { cropped: true });
      return await attempt.imageTasks.run('finishUpstream', { image, options }, context);
    } catch (error) {
      if (isCausedByImage(error)) return { ok: false, problem: 'undecodable', edgeRecall: null };
      // The image is paid for: a process that the system killed must not cost another one.
      if (attempt.signal.aborted || tries === FINISH_TRIES) throw error;
    }
  }
}

const isCausedByImage = (error: unknown) =>
  error instanceof ImageError || (error instanceof ImageProcessEnded && CAUSED_BY_IMAGE.has(error.reason));

/** A refusal, so that no other attempt pays: the upstream has charged for the image. */
function unusable(
  name: string,
  { problem, edgeRecall }: UpstreamFinish & { ok: false },
  costUsd: number | null,
): GeneratorError {
  const recall = edgeRecall === null ? '' : `; edge recall ${edgeRecall.toFixed(2)}`;
  const message = `The image of ${name} cannot be used: ${problem}${recall}.`;
  return new GeneratorError({ kind: 'refused', reason: 'no_result' }, message, { costUsd });
}

/**
 * Limits and estimated memory for these bytes.
 * @throws ImageError when they are not an image or exceed a limit
 */
function contextOf(image: Buffer, { input, signal }: RenderAttempt, { cropped = false } = {}): TaskContext {
  const inspection = inspectImage(image);
  if (!inspection.ok) throw new ImageError(inspection.reason);
  const { bytes: estimatedBytes, megapixels } = estimateRender(inspection, {
    ...input.plan,
    format: input.format,
    cropped,
  });
  return { owner: input.accountId, signal, estimatedBytes, limits: taskLimits(megapixels) };
}
