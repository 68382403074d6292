import { createHash } from 'node:crypto';
import { GeneratorError } from '../../generators/errors.ts';
import type { CurrentCall } from '../../generators/failover.ts';
import type { LocalGenerator, UpstreamGenerator, UpstreamRequest } from '../../generators/port.ts';
import type { Asked, ImageTasks } from '../../generators/tasks.ts';
import { estimateRender } from '../../imaging/cost.ts';
import { ImageError } from '../../imaging/errors.ts';
import { inspectImage } from '../../imaging/inspect.ts';
import { CAUSED_BY_IMAGE, ImageProcessEnded } from '../../imaging/processes/errors.ts';
import type { TaskContext } from '../../imaging/processes/pool.ts';
import { taskLimits } from '../../imaging/processes/watch.ts';
import type { UpstreamFinish, UpstreamFinishOptions } from '../../imaging/upstream-result.ts';
import { acquireUnlessAborted, type Budget } from '../../runtime/budget.ts';
import type { RenderInput } from './rendering.ts';

const accountTag = (accountId: string) => createHash('sha256').update(accountId).digest('hex').slice(0, 32);

/** Longest side of what is sent to an upstream, in pixels: the models shrink more than that. */
const SENT_LONGEST_SIDE = 2048;

/** One render attempt of one job. */
export interface Attempt {
  input: RenderInput;
  /** The client's image as stored. */
  image: Buffer;
  watermark: boolean;
  /** Child processes that decode, edit and encode pixels. */
  imageTasks: ImageTasks;
  signal: AbortSignal;
  isCancelled: () => boolean;
}

/** Runs all steps in one process, so that no pixels are copied between processes. */
export async function renderLocally(attempt: Attempt, { name: generator }: LocalGenerator): Promise<Buffer> {
  const { input, image, watermark, imageTasks } = attempt;
  const { tool, settings, longestSide, neverSmaller } = input.plan;
  const target = { longestSide, neverSmaller };
  const request = { image, tool, settings, target, format: input.format, watermark };
  return (await imageTasks.run('renderLocally', { generator, request }, contextOf(image, attempt))).bytes;
}

export interface UpstreamUse {
  call: CurrentCall;
  /** Limits the calls in progress. */
  places: Budget;
}

export interface UpstreamResult {
  bytes: Buffer;
  costUsd: number | null;
  edgeRecall: number;
}

/** @throws GeneratorError also when the upstream's image cannot be used */
export async function renderUpstream(
  attempt: Attempt,
  generator: UpstreamGenerator,
  { call, places }: UpstreamUse,
): Promise<UpstreamResult> {
  const { input, image, watermark, imageTasks, signal, isCancelled } = attempt;
  const { tool, instruction, longestSide, neverSmaller, checks } = input.plan;
  const target = { longestSide, neverSmaller };
  const longestSideAtMost = Math.min(longestSide, SENT_LONGEST_SIDE);
  const source = await imageTasks.run(
    'prepare',
    { image, options: { longestSideAtMost, ratios: generator.ratios ?? [] } },
    contextOf(image, attempt),
  );
  const { width, height, content, inputSize, reference } = source;
  const request: UpstreamRequest = {
    key: input.jobId,
    accountTag: accountTag(input.accountId),
    image: source.bytes,
    mime: 'image/jpeg',
    width,
    height,
    tool,
    instruction,
    target,
    signal,
    isCancelled,
    onSubmitted: call.onSubmitted,
    ...(call.task === null ? {} : { resume: call.task }),
  };
  const rendered = await inPlace(places, attempt, async () => {
    if (call.task === null) await call.begin();
    return generator.render(request);
  });
  const sent = { width, height, content };
  const options = { ...target, format: input.format, inputSize, watermark, sent, reference, checks };
  const finished = await finish(attempt, rendered.bytes, options);
  if (!finished.ok) throw unusable(generator.name, finished, rendered.costUsd);
  return { ...finished, costUsd: rendered.costUsd };
}

async function inPlace<T>(places: Budget, { input, signal }: Attempt, call: () => Promise<T>): Promise<T> {
  using _place = await acquireUnlessAborted(places, input.accountId, 1, signal);
  return await call();
}

async function finish(
  attempt: Attempt,
  image: Buffer,
  options: Asked<UpstreamFinishOptions>,
): Promise<UpstreamFinish> {
  const undecodable = { ok: false, problem: 'undecodable', edgeRecall: null } as const;
  try {
    const context = contextOf(image, attempt);
    return await attempt.imageTasks.run('finishUpstream', { image, options }, context);
  } catch (error) {
    if (error instanceof ImageError) return undecodable;
    if (error instanceof ImageProcessEnded && CAUSED_BY_IMAGE.has(error.reason)) return undecodable;
    throw error;
  }
}

/** An upstream has charged for the image, and would do so for another one. */
function unusable(
  name: string,
  { problem, edgeRecall }: UpstreamFinish & { ok: false },
  costUsd: number | null,
): GeneratorError {
  const recall = edgeRecall === null ? '' : `; edge recall ${edgeRecall.toFixed(2)}`;
  const message = `The image of ${name} cannot be used: ${problem}${recall}.`;
  return new GeneratorError({ kind: 'refused', reason: 'no_result' }, message, { costUsd });
}

/** Limits and estimated memory for these bytes. @throws ImageError when they are not an image or exceed a limit */
function contextOf(image: Buffer, { input, signal }: Attempt): TaskContext {
  const inspection = inspectImage(image);
  if (!inspection.ok) throw new ImageError(inspection.reason);
  const { bytes: estimatedBytes, megapixels } = estimateRender(inspection, {
    ...input.plan,
    format: input.format,
  });
  return { owner: input.accountId, signal, estimatedBytes, limits: taskLimits(megapixels) };
}
