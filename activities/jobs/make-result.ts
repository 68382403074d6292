import { randomUUID } from 'node:crypto';
import { activityInfo, log as activityLog, Context, cancellationSignal } from '@temporalio/activity';
import type { Limit } from '../../lib/admission/limit.ts';
import type { Plan } from '../../lib/catalog/catalog.ts';
import type { CallLog } from '../../lib/domain/generator-call.ts';
import type { ObjectRef } from '../../lib/domain/records.ts';
import { GeneratorError } from '../../lib/generators/errors.ts';
import { renderWithFailover, type Uses } from '../../lib/generators/failover.ts';
import { cancelOpenCalls, type Liveness } from '../../lib/generators/open-calls.ts';
import type { Generators } from '../../lib/generators/registry.ts';
import type { ImageTasks } from '../../lib/generators/tasks.ts';
import { pause } from '../../lib/process/countdown.ts';
import type { RenderInput } from '../../lib/protocol/render.ts';
import type { GeneratorCallStore } from '../../lib/stores/generator-call-store.ts';
import type { ImageStore } from '../../lib/stores/image-store.ts';
import type { CompletionDeps } from './completion.ts';
import { type RenderAttempt, renderInProcess, renderUpstream } from './render-image.ts';

export interface ResultDeps extends CompletionDeps {
  images: ImageStore;
  generators: Generators;
  /**
   * Milliseconds for which a generator may be unavailable before it fails the job. A generator that
   * completes calls, and tells a job to wait, does not count as unavailable.
   */
  unavailableMs: number;
  /** Aborts when the renderer is told to end. */
  draining?: AbortSignal;
  /** When a call counts as lost; see {@link Liveness}. */
  liveness?: Liveness;
  /** Child processes that decode, edit and encode pixels. */
  imageTasks: ImageTasks;
}

const STORE_TRIES = 3;
const RETRY_MS = 500;
/**
 * From the start of the work, not of the wait for a process. A shorter render is not recorded,
 * which saves a write.
 */
const RECORDED_AFTER_MS = 1000;
/** Shorter values are choices such as `modern`, and words that a message has by itself. */
const MIN_LENGTH = 8;

/**
 * Renders with the first generator that can, and stores the result.
 * @param inMemory see {@link RenderAttempt}
 * @param own gets the ids of the calls that this attempt begins
 */
export async function makeResult(
  deps: ResultDeps,
  input: RenderInput,
  inMemory: Limit,
  own: Set<string>,
): Promise<ObjectRef> {
  const { stores, images, generators, imageTasks, unavailableMs, liveness, draining } = deps;
  const load = () => images.getInput(input.input.key);
  const watermark = !(await stores.packs.hasPaid(input.accountId));
  const [signal, cancelled] = [cancellationSignal(), jobCancelled()];
  const attempt = { input, load, inMemory, watermark, imageTasks, signal, cancelled };
  return renderWithFailover(
    {
      accountId: input.accountId,
      signal,
      draining,
      unavailableMs,
      liveness,
      candidates: generators.forPlan(input.plan),
      find: generators.find,
      breakerOf: generators.breakerOf,
      limitOf: generators.limitOf,
      onRefused: generators.failoverOnRefused,
      log: noting(own, callLogOf(stores.generatorCalls, input.jobId, cancelled)),
      mayHaveCalls: input.mayHaveEnded || activityInfo().attempt > 1,
      alarm: (generator, { message }) =>
        activityLog.error('A generator is misconfigured.', {
          generator,
          problem: withoutClientWords(input.plan, message),
        }),
    },
    usesOf(deps, attempt),
  );
}

/** See {@link cancelOpenCalls}. */
export function cancelCallsOf(
  { stores, generators }: ResultDeps,
  jobId: string,
  only?: ReadonlySet<string>,
): Promise<void> {
  const log = callLogOf(stores.generatorCalls, jobId, cancellationSignal());
  return cancelOpenCalls(log, generators.find, only);
}

function usesOf({ images, stores }: ResultDeps, attempt: RenderAttempt): Uses {
  const { input, signal, cancelled } = attempt;
  return {
    async local(generator) {
      const record = () => stores.generatorCalls.beginLocal(input.jobId);
      const bytes = await recordedRender(record, signal, (stop, onStart) =>
        renderInProcess({ ...attempt, signal: stop }, generator, onStart),
      );
      return store(images, input, bytes);
    },
    async upstream(generator, call) {
      // Another attempt can resume a task, but not a call that returns the image itself.
      const stop = AbortSignal.any([generator.tasks === undefined ? cancelled : signal, call.ended]);
      const { bytes, ...used } = await renderUpstream({ ...attempt, signal: stop }, generator, call);
      // The image is paid for: an outage of the store must not cost another one.
      const result = await untilStored(() => store(images, input, bytes), stop);
      return { ...used, result };
    },
  };
}

/**
 * Aborts when the job is cancelled, or its renderer ends after the grace period. It does not abort
 * when Temporal has merely lost the attempt: after a heartbeat timeout, a reset or a pause, a call
 * that was paid for goes on, and a later attempt uses its result.
 */
function jobCancelled(): AbortSignal {
  const controller = new AbortController();
  const activity = Context.current();
  const signal = activity.cancellationSignal;
  const check = () => {
    const { cancelRequested = false, workerShutdown = false } = activity.cancellationDetails ?? {};
    if (cancelRequested || workerShutdown) controller.abort(signal.reason);
  };
  if (signal.aborted) check();
  else signal.addEventListener('abort', check, { once: true });
  return controller.signal;
}

/**
 * Runs a local render. After a second it is recorded, and from then on its client cannot cancel the
 * job. If the client has cancelled the job before, the render stops. A shorter render is not
 * recorded. If its job was cancelled meanwhile, the result is not used, because a job ends once.
 * @param record returns false when the job has ended
 * @throws GeneratorError `exhausted` when the job has ended
 */
async function recordedRender<T>(
  record: () => Promise<boolean>,
  signal: AbortSignal,
  render: (signal: AbortSignal, onStart: () => void) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const check = async () => {
    if (!(await record()))
      ended.abort(new GeneratorError({ kind: 'exhausted' }, 'The job has ended, so it is not rendered.'));
  };
  let timer: NodeJS.Timeout | undefined;
  const onStart = () => {
    // If MongoDB does not respond, the render goes on. The end of the job then decides.
    timer = setTimeout(() => check().catch(() => {}), RECORDED_AFTER_MS);
  };
  try {
    return await render(AbortSignal.any([signal, ended.signal]), onStart);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Uses a new key for each try: an upload that timed out may still arrive, and must not overwrite a
 * result.
 */
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

/**
 * The calls of one job. An update is retried until the signal aborts: without the task's id or the
 * outcome, the next attempt would take the call for lost and pay for another one.
 */
const callLogOf = (calls: GeneratorCallStore, jobId: string, signal: AbortSignal): CallLog => ({
  list: () => calls.list(jobId),
  begin: (call, listed) => calls.begin(jobId, call, listed),
  beat: (callId) => calls.beat(jobId, callId),
  update: (callId, changes) => untilStored(() => calls.update(jobId, callId, changes), signal),
});

/** Notes the ids of the calls that begin. */
const noting = (ids: Set<string>, log: CallLog): CallLog => ({
  ...log,
  begin(call, listed) {
    ids.add(call.id);
    return log.begin(call, listed);
  },
});

/**
 * Repeats a write until it succeeds. Rejects with the signal's reason when that aborts, after one
 * try at least.
 */
async function untilStored<T>(write: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (tries === 1)
        activityLog.warn('A call that was paid for cannot be stored yet.', { problem: String(error) });
      await pause(RETRY_MS, signal);
    }
  }
}

/**
 * A message of an upstream without what it repeats of the job's instruction and options, so that it
 * may be logged.
 */
function withoutClientWords({ instruction, settings }: Plan, message: string): string {
  const words = [instruction, ...Object.values(settings)].filter(({ length }) => length >= MIN_LENGTH);
  return words.reduce((rest, word) => rest.replaceAll(word, '[from the job]'), message);
}
