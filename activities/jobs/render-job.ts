import { randomUUID } from 'node:crypto';
import { activityInfo, log as activityLog, Context, cancellationSignal } from '@temporalio/activity';
import type { Limit } from '../../lib/admission/limit.ts';
import type { ObjectRef } from '../../lib/domain/records.ts';
import { renderWithFailover, type Uses } from '../../lib/generators/failover.ts';
import { cancelOpenCalls, type Liveness } from '../../lib/generators/open-calls.ts';
import type { Generators } from '../../lib/generators/registry.ts';
import type { ImageTasks } from '../../lib/generators/tasks.ts';
import type { RenderInput } from '../../lib/protocol/render.ts';
import type { ImageStore } from '../../lib/stores/image-store.ts';
import { callLogOf, untilDone } from './call-log.ts';
import { withoutClientWords } from './client-words.ts';
import type { CompletionDeps } from './completion.ts';
import { recordedRender } from './local-render.ts';
import { type Attempt, renderLocally, renderUpstream } from './render-image.ts';

export interface RenderJobDeps extends CompletionDeps {
  images: ImageStore;
  generators: Generators;
  /**
   * Milliseconds for which a generator may be unavailable before it fails the job. A generator that completes calls, and
   * tells a job to wait, does not count as unavailable.
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

/** Renders with the first generator that can, and stores the result. */
export async function renderJob(
  deps: RenderJobDeps,
  input: RenderInput,
  inMemory: Limit,
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
      placesOf: generators.placesOf,
      onRefused: generators.failoverOnRefused,
      log: callLogOf(stores.generatorCalls, input.jobId, cancelled),
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
export function cancelCallsOf({ stores, generators }: RenderJobDeps, jobId: string): Promise<void> {
  const log = callLogOf(stores.generatorCalls, jobId, cancellationSignal());
  return cancelOpenCalls(log, generators.find);
}

function usesOf({ images, stores }: RenderJobDeps, attempt: Attempt): Uses {
  const { input, signal, cancelled } = attempt;
  const record = () => stores.generatorCalls.beginLocal(input.jobId);
  return {
    async local(generator) {
      const render = (stop: AbortSignal, onStart: () => void) =>
        renderLocally({ ...attempt, signal: stop }, generator, onStart);
      return store(images, input, await recordedRender(record, signal, render));
    },
    async upstream(generator, call) {
      // Another attempt can resume a task, but not a call that returns the image itself.
      const stop = AbortSignal.any([generator.tasks === undefined ? cancelled : signal, call.ended]);
      const { bytes, ...used } = await renderUpstream({ ...attempt, signal: stop }, generator, call);
      // Paid for: an outage of the store must not cost another one.
      const result = await untilDone(() => store(images, input, bytes), stop);
      return { ...used, result };
    },
  };
}

/**
 * Aborts when the job is cancelled, or its renderer ends after the grace period. Not when Temporal has merely lost the
 * attempt: after a heartbeat time-out, a reset or a pause, what has been paid for goes on, and a later attempt uses it.
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

/** Uses a new key for each try: an upload that timed out may still arrive, and must not overwrite a result. */
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
