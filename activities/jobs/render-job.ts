import { randomUUID } from 'node:crypto';
import { activityInfo, log as activityLog, cancellationSignal } from '@temporalio/activity';
import type { ObjectRef } from '../../domain/records.ts';
import { renderWithFailover, type Uses } from '../../generators/failover.ts';
import { cancelOpenCalls } from '../../generators/open-calls.ts';
import type { Generators } from '../../generators/registry.ts';
import type { ImageTasks } from '../../generators/tasks.ts';
import type { Budget } from '../../runtime/budget.ts';
import type { ImageStore } from '../../stores/image-store.ts';
import { callLogOf, untilDone } from './call-log.ts';
import { withoutClientWords } from './client-words.ts';
import type { CompletionDeps } from './completion.ts';
import { recordedRender } from './local-render.ts';
import { type Attempt, renderLocally, renderUpstream } from './render-image.ts';
import type { RenderInput } from './rendering.ts';

export interface RenderJobDeps extends CompletionDeps {
  images: ImageStore;
  generators: Generators;
  /** Child processes that decode, edit and encode pixels. */
  imageTasks: ImageTasks;
}

const STORE_TRIES = 3;

/** Renders with the first generator that can, and stores the result. */
export async function renderJob(
  deps: RenderJobDeps,
  input: RenderInput,
  inMemory: Budget,
): Promise<ObjectRef> {
  const { stores, images, generators, imageTasks } = deps;
  const load = () => images.getInput(input.input.key);
  const watermark = !(await stores.packs.hasPaid(input.accountId));
  const attempt = { input, load, inMemory, watermark, imageTasks, signal: cancellationSignal() };
  return renderWithFailover(
    {
      candidates: generators.forPlan(input.plan),
      find: generators.find,
      breakerOf: generators.breakerOf,
      onRefused: generators.failoverOnRefused,
      log: callLogOf(stores.generatorCalls, input.jobId, attempt.signal),
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

function usesOf({ images, generators, stores }: RenderJobDeps, attempt: Attempt): Uses {
  const { input, signal } = attempt;
  const record = () => stores.generatorCalls.beginLocal(input.jobId);
  return {
    async local(generator) {
      const render = (stop: AbortSignal, onStart: () => void) =>
        renderLocally({ ...attempt, signal: stop }, generator, onStart);
      return store(images, input, await recordedRender(record, signal, render));
    },
    async upstream(generator, call) {
      const places = generators.placesOf(generator);
      const { bytes, ...used } = await renderUpstream(attempt, generator, { call, places });
      // Paid for: an outage of the store must not cost another one.
      const result = await untilDone(() => store(images, input, bytes), signal);
      return { ...used, result };
    },
  };
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
