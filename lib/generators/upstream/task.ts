import type { UpstreamTask } from '../../domain/generator-call.ts';
import { abortAfter, pause } from '../../process/countdown.ts';
import { GeneratorError, type GeneratorFailure, NotSent } from '../errors.ts';
import type {
  RecordedTask,
  RenderedImage,
  UpstreamGenerator,
  UpstreamRender,
  UpstreamRequest,
} from '../port.ts';
import type { CallContext, UpstreamTiming } from './client.ts';

/**
 * How to use the tasks of one upstream. Every function makes a few calls at most and rejects with
 * GeneratorError.
 */
export interface TaskShapes {
  /** Submits the task. @throws GeneratorError with `mayBeCharged` when its response was lost */
  submit(request: UpstreamRequest): Promise<UpstreamTask>;
  /**
   * The result, or undefined while the task is running.
   * @throws GeneratorError, `lost` when task or result is gone
   */
  poll(task: UpstreamTask, context: CallContext): Promise<RenderedImage | undefined>;
  /** Asks the upstream to stop; absent if it cannot. */
  cancel?(task: UpstreamTask, signal: AbortSignal): Promise<void>;
}

/** Polls until the interval is doubled. */
const QUICK_POLLS = 15;
const MOST_FAILED_POLLS = 5;
const CANCEL_MS = 2000;
/**
 * Longest time of a task, over all attempts. The upstream has forgotten a task that takes longer.
 */
const MOST_TASK_MS = 30 * 60_000;

/** A generator whose upstream has tasks. */
export const createTaskGenerator = (
  about: Pick<UpstreamGenerator, 'name' | 'model' | 'charges'>,
  shapes: TaskShapes,
  timing: UpstreamTiming,
): UpstreamGenerator => ({
  kind: 'upstream',
  ...about,
  render: (render) => runTask(shapes, render, timing),
  tasks:
    shapes.cancel === undefined
      ? {}
      : { cancel: async (task) => shapes.cancel?.(task, abortAfter(CANCEL_MS)) },
});

/** Submits a task, or resumes the task of an earlier attempt, and waits for its result. */
async function runTask(
  shapes: TaskShapes,
  render: UpstreamRender,
  { pollMs }: UpstreamTiming,
): Promise<RenderedImage> {
  const { resume, signal, instruction } = render;
  const context = { signal, instruction };
  if (resume !== undefined) return await waitFor(shapes, resume, context, pollMs);
  const since = performance.now();
  const task = await submit(shapes, render);
  return await waitFor(shapes, { task, since }, context, pollMs).catch((error: unknown) => {
    throw ofNewTask(error);
  });
}

/**
 * Submits the task and has its id recorded. Returns nothing that keeps the bytes of the input in
 * memory.
 */
async function submit(shapes: TaskShapes, render: UpstreamRender): Promise<UpstreamTask> {
  const request = await render.request();
  if (render.signal.aborted) throw new NotSent(render.signal.reason);
  // An abort does not stop a submission: a task whose id is unknown can neither be resumed nor
  // cancelled.
  const task = await shapes.submit({ ...request, signal: new AbortController().signal });
  try {
    await render.onSubmitted(task);
  } catch (error) {
    await cancel(shapes, task);
    throw error;
  }
  return task;
}

async function waitFor(
  shapes: TaskShapes,
  { task, since }: RecordedTask,
  context: CallContext,
  pollMs: number,
): Promise<RenderedImage> {
  let failed = 0;
  for (let polls = 0; ; polls += 1) {
    context.signal.throwIfAborted();
    try {
      const result = await shapes.poll(task, context);
      if (result !== undefined) return result;
      failed = 0;
    } catch (error) {
      failed += 1;
      if (failed === MOST_FAILED_POLLS && isUnreadable(error)) await cancel(shapes, task);
      if (failed === MOST_FAILED_POLLS || !saysLittle(error)) throw error;
    }
    // Decides only after a poll that found it running: after a long outage, the task may have ended
    // in time.
    if (failed === 0 && performance.now() - since > MOST_TASK_MS) throw await expired(shapes, task);
    const interval = polls < QUICK_POLLS ? pollMs : 2 * pollMs;
    await pause(interval * (0.9 + 0.2 * Math.random()), context.signal);
  }
}

async function expired(shapes: TaskShapes, task: UpstreamTask): Promise<GeneratorError> {
  await cancel(shapes, task);
  const message = `The task ${task.id} did not end within half an hour.`;
  return new GeneratorError({ kind: 'unavailable' }, message, { mayBeCharged: true });
}

/**
 * Whether one poll with this error is no proof that the task has failed. Another server of the
 * upstream may know the task, and another poll may name another address of its result.
 */
const saysLittle = (error: unknown) => isOutage(error) || isUnreadable(error) || failsWith(error, 'lost');

/** Whether the poll failed, and not the task: a failed task may be charged. */
const isOutage = (error: unknown) => failsWith(error, 'unavailable') && !error.mayBeCharged;

/** Whether the upstream, or a firewall before it, denies the poll. The task may go on. */
const isUnreadable = (error: unknown) => failsWith(error, 'misconfigured') && !error.mayBeCharged;

/**
 * If a new task is lost, do not submit again at once: the upstream may lose the next task as well.
 */
function ofNewTask(error: unknown): unknown {
  if (!failsWith(error, 'lost')) return error;
  const { message, upstreamWorks } = error;
  return new GeneratorError({ kind: 'unavailable' }, message, {
    cause: error,
    mayBeCharged: true,
    upstreamWorks,
  });
}

const failsWith = (error: unknown, kind: GeneratorFailure['kind']): error is GeneratorError =>
  error instanceof GeneratorError && error.failure.kind === kind;

/** Best effort: nobody waits for the task any more. */
async function cancel({ cancel }: TaskShapes, task: UpstreamTask): Promise<void> {
  await cancel?.(task, abortAfter(CANCEL_MS)).catch(() => {});
}
