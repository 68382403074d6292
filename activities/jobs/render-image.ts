import type { AttemptState, Generator, LocalGenerator, UpstreamGenerator } from '../../generators/port.ts';
import type { ImageTasks } from '../../generators/tasks.ts';
import { estimateRender } from '../../imaging/cost.ts';
import { ImageError } from '../../imaging/errors.ts';
import { inspectImage } from '../../imaging/inspect.ts';
import type { TaskContext } from '../../imaging/processes/pool.ts';
import { taskLimits } from '../../imaging/processes/watch.ts';
import type { RenderInput } from './rendering.ts';

export interface RenderImageDeps {
  generator: Generator;
  /** Child processes that decode, edit and encode pixels. */
  imageTasks: ImageTasks;
}

/** One render attempt. `resume` is the generator's state from an earlier attempt. */
export interface Attempt {
  image: Buffer;
  watermark: boolean;
  signal: AbortSignal;
  resume: AttemptState | undefined;
  onSubmitted: (state: AttemptState) => void;
}

export async function renderImage(
  deps: RenderImageDeps,
  input: RenderInput,
  attempt: Attempt,
): Promise<Buffer> {
  const { generator, imageTasks } = deps;
  const { bytes } =
    generator.kind === 'local'
      ? await renderLocally(imageTasks, generator, input, attempt)
      : await renderUpstream(imageTasks, generator, input, attempt);
  return bytes;
}

/** Limits and estimated memory for these bytes. @throws ImageError when they are not an image or exceed a limit */
function contextOf(
  image: Buffer,
  { accountId, plan, format }: RenderInput,
  { signal }: Attempt,
): TaskContext {
  const inspection = inspectImage(image);
  if (!inspection.ok) throw new ImageError(inspection.reason);
  const { bytes: estimatedBytes, megapixels } = estimateRender(inspection, { ...plan, format });
  return { owner: accountId, signal, estimatedBytes, limits: taskLimits(megapixels) };
}

/** Runs all steps in one process, so that no pixels are copied between processes. */
function renderLocally(
  tasks: ImageTasks,
  { name: generator }: LocalGenerator,
  input: RenderInput,
  attempt: Attempt,
) {
  const { plan, format } = input;
  const { image, watermark } = attempt;
  const { tool, settings, longestSide, neverSmaller } = plan;
  const request = { image, tool, settings, target: { longestSide, neverSmaller }, format, watermark };
  return tasks.run('renderLocally', { generator, request }, contextOf(image, input, attempt));
}

async function renderUpstream(
  tasks: ImageTasks,
  generator: UpstreamGenerator,
  input: RenderInput,
  attempt: Attempt,
) {
  const { plan, format } = input;
  const { image, watermark, signal, resume, onSubmitted } = attempt;
  const { tool, settings, instruction, longestSide, neverSmaller } = plan;
  const target = { longestSide, neverSmaller };
  const options = neverSmaller ? {} : { longestSideAtMost: longestSide };
  const source = await tasks.run('prepare', { image, options }, contextOf(image, input, attempt));
  const { bytes } = await generator.render({
    image: source.bytes,
    mime: source.mime,
    width: source.width,
    height: source.height,
    tool,
    instruction,
    settings,
    target,
    signal,
    onSubmitted,
    ...(resume === undefined ? {} : { resume }),
  });
  const finish = { format, ...target, inputSize: source.inputSize, watermark };
  return tasks.run('finish', { image: bytes, options: finish }, contextOf(bytes, input, attempt));
}
