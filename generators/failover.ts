import { type CallLog, type GeneratorCall, isOpen, type UpstreamTask } from '../domain/generator-call.ts';
import type { ObjectRef } from '../domain/records.ts';
import type { Breaker, Verdict } from './breaker.ts';
import { GeneratorError } from './errors.ts';
import { endLostCalls, type FindUpstream, pendingTask } from './open-calls.ts';
import type { Generator, LocalGenerator, RecordedTask, UpstreamGenerator } from './port.ts';
import { hasUsedTurn, nextGenerator, recordedFailure } from './selection.ts';

/** What is done with the generator that was chosen. Both store the result. */
export interface Uses {
  local(generator: LocalGenerator): Promise<ObjectRef>;
  upstream(generator: UpstreamGenerator, call: CurrentCall): Promise<Used>;
}

export interface CurrentCall {
  /** The task to resume; undefined to submit one. */
  resume: RecordedTask | undefined;
  /**
   * Records the call that submits. To be awaited right before it is sent: whatever ends the process from then on may
   * cost an image. @throws GeneratorError when the job may make no further call
   */
  begin(): Promise<void>;
  /** Records the task that the call has submitted. @throws Error when the call has ended, and nobody waits for the task */
  onSubmitted(task: UpstreamTask): Promise<void>;
}

export interface Used extends Pick<GeneratorCall, 'costUsd' | 'edgeRecall'> {
  result: ObjectRef;
}

export interface FailoverDeps {
  /** In the order of preference. */
  candidates: readonly Generator[];
  log: CallLog;
  /** All that are configured: a task is resumed also where its upstream is no longer a candidate. */
  find: FindUpstream;
  breakerOf: (generator: UpstreamGenerator) => Breaker;
  /** Whether an earlier attempt may have called an upstream. */
  mayHaveCalls: boolean;
  /** Whether the next generator is asked when one refuses the image or the instruction. */
  onRefused: boolean;
  /** A generator cannot be used as it is configured: somebody has to act. */
  alarm: (generator: string, error: GeneratorError) => void;
}

/** An upstream that asks to wait longer is not waited for when there is another one. */
const WORTH_WAITING_MS = 10_000;

/**
 * Renders with the first generator that can be used; the calls of earlier attempts decide which one that is. A result
 * that is stored already is returned, and a task that may still be running is resumed before anything is submitted.
 * @throws GeneratorError `unavailable` when a later attempt may succeed; every other kind is final
 */
export async function renderWithFailover(deps: FailoverDeps, uses: Uses): Promise<ObjectRef> {
  const [first] = deps.candidates;
  if (first?.kind === 'local' && !deps.mayHaveCalls) return uses.local(first);
  const failures = new Map<Generator, GeneratorError>();
  for (;;) {
    const calls = await endLostCalls(deps.log, deps.find);
    const stored = calls.find(({ result }) => result !== null)?.result;
    if (stored) return stored;
    const pending = pendingTask(calls);
    const generator =
      (pending && deps.find(pending.generator)) ?? nextGenerator(untried(deps, failures), calls);
    if (generator === undefined) throw finalFailure(deps, calls, failures);
    if (generator.kind === 'local') return uses.local(generator);
    const outcome = await use(deps, uses, generator, pending);
    if (!(outcome instanceof GeneratorError)) return outcome;
    if (outcome.failure.kind !== 'lost') failures.set(generator, outcome);
    if (!goesOn(deps, generator, outcome, await deps.log.list())) throw outcome;
  }
}

const untried = ({ candidates }: FailoverDeps, failures: ReadonlyMap<Generator, GeneratorError>) =>
  candidates.filter((candidate) => !failures.has(candidate));

/** The call's result, or why there is none. Errors that are not the generator's leave the call to the next attempt. */
async function use(
  deps: FailoverDeps,
  uses: Uses,
  generator: UpstreamGenerator,
  pending: GeneratorCall | undefined,
): Promise<ObjectRef | GeneratorError> {
  const { log } = deps;
  const breaker = deps.breakerOf(generator);
  const waitMs = breaker.waitMs();
  if (waitMs > 0) return paused(generator, waitMs);
  let id = pending?.id;
  let hasTask = pending !== undefined;
  const call: CurrentCall = {
    resume: pending && recordedTask(pending),
    async begin() {
      id = await beginCall(log, generator);
    },
    async onSubmitted(task) {
      if (id !== undefined) await recordTask(log, id, task);
      hasTask = true;
    },
  };
  try {
    const used = await breaker.run(() => uses.upstream(generator, call), verdictOf);
    if (id !== undefined) await log.update(id, { ...used, outcome: 'completed' });
    return used.result;
  } catch (error) {
    if (!(error instanceof GeneratorError)) throw error;
    if (error.failure.kind === 'misconfigured') deps.alarm(generator.name, error);
    if (id !== undefined) await record(log, { id, hasTask }, error);
    return error;
  }
}

function recordedTask({ task, ageMs }: GeneratorCall): RecordedTask | undefined {
  return task === null ? undefined : { task, since: performance.now() - ageMs };
}

async function beginCall(log: CallLog, { name, model, charges }: UpstreamGenerator): Promise<string> {
  const id = await log.begin({ generator: name, model, mayBeCharged: charges });
  if (id === undefined) throw new GeneratorError({ kind: 'exhausted' }, 'The job may make no further call.');
  return id;
}

/**
 * A call that took too long has been ended by another process. Where the caller chooses the task's id, that one may wait
 * for the same task.
 */
async function recordTask(log: CallLog, callId: string, task: UpstreamTask): Promise<void> {
  if (await log.update(callId, { task })) return;
  const isShared = (await log.list()).some((call) => isOpen(call) && call.task?.id === task.id);
  if (!isShared) throw new Error(`The call had ended before its task ${task.id} was named.`);
}

/**
 * Records how a call failed. A failure to reach the upstream that runs the task leaves the task pending. Reads nothing
 * first: a read that fails would lose the response, and the call would count as charged.
 */
async function record(
  log: CallLog,
  { id, hasTask }: { id: string; hasTask: boolean },
  error: GeneratorError,
): Promise<void> {
  const { failure, mayBeCharged, costUsd, message } = error;
  if (failure.kind === 'exhausted') return;
  if (hasTask && failure.kind === 'unavailable' && !mayBeCharged) return;
  await log.update(id, {
    outcome: failure.kind,
    reason: failure.kind === 'refused' ? failure.reason : null,
    costUsd,
    error: message,
    ...(hasTask || mayBeCharged ? {} : { mayBeCharged: false }),
  });
}

/** Whether another generator is asked in this attempt, as opposed to this one in a later attempt, or none. */
function goesOn(
  { onRefused }: FailoverDeps,
  { name }: Generator,
  { failure, mayBeCharged }: GeneratorError,
  calls: readonly GeneratorCall[],
): boolean {
  // One that is free is about a limit of this upstream: the size or ratio it takes.
  if (failure.kind === 'refused') return onRefused || !mayBeCharged;
  if (failure.kind !== 'unavailable') return true;
  if (pendingTask(calls) !== undefined) return false;
  return (failure.retryAfterMs ?? 0) > WORTH_WAITING_MS || hasUsedTurn(name, calls);
}

/** Every generator has failed: a later attempt makes sense if one of them could then be asked again. */
function finalFailure(
  { candidates }: FailoverDeps,
  calls: readonly GeneratorCall[],
  failures: ReadonlyMap<Generator, GeneratorError>,
): GeneratorError {
  const again = nextGenerator(candidates, calls);
  const failure = again === undefined ? undefined : failures.get(again);
  return failure ?? recordedFailure(calls);
}

function paused({ name }: Generator, retryAfterMs: number): GeneratorError {
  const message = `${name} is not asked for another ${Math.ceil(retryAfterMs / 1000)} s.`;
  return new GeneratorError({ kind: 'unavailable', retryAfterMs }, message);
}

/** What an error says about the upstream. One that refuses works; a misconfigured one may have failed before it. */
function verdictOf(error: unknown): Verdict {
  if (!(error instanceof GeneratorError)) return 'unknown';
  if (error.upstreamWorks) return 'works';
  return error.failure.kind === 'unavailable' ? error.failure : 'unknown';
}
