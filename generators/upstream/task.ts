import type { UpstreamTask } from '../../domain/generator-call.ts';
import { pause } from '../../runtime/pause.ts';
import { GeneratorError, type GeneratorFailure } from '../errors.ts';
import type { RenderedImage, UpstreamRequest } from '../port.ts';
import type { UpstreamTiming } from './client.ts';

/** What one upstream with tasks looks like. Every function makes at most a few calls and rejects with GeneratorError. */
export interface TaskShapes {
  /** Submits the task. @throws GeneratorError with `mayBeCharged` when its response was lost */
  submit(request: UpstreamRequest): Promise<UpstreamTask>;
  /** The result, or undefined while the task is running. @throws GeneratorError, `lost` when the task is unknown */
  poll(task: UpstreamTask, request: UpstreamRequest): Promise<RenderedImage | undefined>;
  /** Asks the upstream to stop; absent where it cannot. */
  cancel?(task: UpstreamTask, signal: AbortSignal): Promise<void>;
}

/** Polls until the interval is doubled. */
const QUICK_POLLS = 15;
const MOST_FAILED_POLLS = 5;
const CANCEL_MS = 2000;
/** Over all attempts. A task that takes longer has been forgotten. */
const MOST_TASK_MS = 30 * 60_000;

/** Submits a task, or resumes the one of an earlier attempt, and waits for its result. */
export async function runTask(
  shapes: TaskShapes,
  request: UpstreamRequest,
  { pollMs }: UpstreamTiming,
): Promise<RenderedImage> {
  const task = request.resume ?? (await submit(shapes, request));
  try {
    if (request.resume === undefined) await request.onSubmitted(task);
    return await poll(shapes, task, request, pollMs);
  } catch (error) {
    const isUnwanted = request.signal.aborted && request.isCancelled();
    if (isUnwanted || isUnreadable(error)) await cancel(shapes, task);
    throw request.resume === undefined ? ofNewTask(error) : error;
  }
}

/** An abort does not stop a submission, because a task whose id is unknown can neither be resumed nor cancelled. */
async function submit(shapes: TaskShapes, request: UpstreamRequest): Promise<UpstreamTask> {
  request.signal.throwIfAborted();
  const task = await shapes.submit({ ...request, signal: new AbortController().signal });
  return { ...task, submittedAt: new Date().toISOString() };
}

async function poll(
  shapes: TaskShapes,
  task: UpstreamTask,
  request: UpstreamRequest,
  pollMs: number,
): Promise<RenderedImage> {
  let failed = 0;
  for (let polls = 0; ; polls += 1) {
    request.signal.throwIfAborted();
    if (hasExpired(task)) throw await expired(shapes, task);
    try {
      const result = await shapes.poll(task, request);
      if (result !== undefined) return result;
      failed = 0;
    } catch (error) {
      // One failed poll says nothing about the task.
      failed += 1;
      if (!(isOutage(error) || isUnreadable(error)) || failed === MOST_FAILED_POLLS) throw error;
    }
    const interval = polls < QUICK_POLLS ? pollMs : 2 * pollMs;
    await pause(interval * (0.9 + 0.2 * Math.random()), request.signal);
  }
}

const hasExpired = ({ submittedAt }: UpstreamTask) =>
  submittedAt !== undefined && Date.now() - Date.parse(submittedAt) > MOST_TASK_MS;

async function expired(shapes: TaskShapes, task: UpstreamTask): Promise<GeneratorError> {
  await cancel(shapes, task);
  const message = `The task ${task.id} did not end within half an hour.`;
  return new GeneratorError({ kind: 'unavailable' }, message, { mayBeCharged: true });
}

/** Whether the poll itself failed, as opposed to the task: a failed task may be charged. */
const isOutage = (error: unknown) => failsWith(error, 'unavailable') && !error.mayBeCharged;

/** Whether the upstream, or a firewall before it, denies a look at the task, which may go on. */
const isUnreadable = (error: unknown) => failsWith(error, 'misconfigured') && !error.mayBeCharged;

/** A new task that its upstream does not know is no reason to submit at once again: it may forget that one as well. */
function ofNewTask(error: unknown): unknown {
  if (!failsWith(error, 'lost')) return error;
  return new GeneratorError({ kind: 'unavailable' }, error.message, { cause: error, mayBeCharged: true });
}

const failsWith = (error: unknown, kind: GeneratorFailure['kind']): error is GeneratorError =>
  error instanceof GeneratorError && error.failure.kind === kind;

/** Best effort: the job has ended either way. */
async function cancel({ cancel }: TaskShapes, task: UpstreamTask): Promise<void> {
  await cancel?.(task, AbortSignal.timeout(CANCEL_MS)).catch(() => {});
}
