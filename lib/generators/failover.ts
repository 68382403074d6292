import { randomUUID } from 'node:crypto';
import { acquireInTime, type Limit, type Permit } from '../admission/limit.ts';
import {
  type CallLog,
  type GeneratorCall,
  hasFailedTask,
  isOpen,
  type UpstreamTask,
} from '../domain/generator-call.ts';
import type { ObjectRef } from '../domain/records.ts';
import { pause } from '../process/countdown.ts';
import type { Breaker, Verdict } from './breaker.ts';
import { GeneratorError, NotSent } from './errors.ts';
import { keepAlive } from './keep-alive.ts';
import { endLostCalls, type FindUpstream, type Liveness, pendingTask, waiting } from './open-calls.ts';
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
  /** Aborts when the job has ended, so that nobody needs the call any more. */
  ended: AbortSignal;
  /**
   * Records the call that submits. To be awaited right before it is sent: whatever ends the process from then on may
   * cost an image. Rejects when the job may make no further call.
   */
  begin(): Promise<void>;
  /** Records the task that the call has submitted. @throws Error when the call has ended, and nobody waits for the task */
  onSubmitted(task: UpstreamTask): Promise<void>;
}

export interface Used extends Pick<GeneratorCall, 'costUsd' | 'edgeRecall'> {
  result: ObjectRef;
}

export interface FailoverDeps {
  /** Whose job it is. */
  accountId: string;
  /** Aborts when the attempt has to end. A call that has been sent may go on. */
  signal: AbortSignal;
  /** Aborts when the process is told to end: its grace period is for calls that have begun. */
  draining?: AbortSignal | undefined;
  /** {@link LIVENESS} by default. */
  liveness?: Liveness | undefined;
  /** Milliseconds for which an upstream may have done nothing before a job that it tells to wait gives up. */
  unavailableMs: number;
  /** In the order of preference. */
  candidates: readonly Generator[];
  log: CallLog;
  /** All that are configured: a task is resumed also where its upstream is no longer a candidate. */
  find: FindUpstream;
  breakerOf: (generator: UpstreamGenerator) => Breaker;
  /** Limits the calls in progress; the accounts that wait take turns. */
  placesOf: (generator: UpstreamGenerator) => Limit;
  /** Whether an earlier attempt may have called an upstream. */
  mayHaveCalls: boolean;
  /** Whether the next generator is asked when one refuses the image or the instruction. */
  onRefused: boolean;
  /** A generator cannot be used as it is configured: somebody has to act. */
  alarm: (generator: string, error: Error) => void;
}

/** An upstream that asks to wait longer is not waited for when there is another one. */
const WORTH_WAITING_MS = 10_000;

/** Longest wait in one attempt: a later one may wait again, and leaves its slot of the renderer to others meanwhile. */
const LONGEST_TURN_MS = 120_000;

/** Another attempt has made or ended a call since the calls were listed. */
class CallsChanged extends Error {
  override readonly name = 'CallsChanged';
}

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
    deps.signal.throwIfAborted();
    const calls = await endLostCalls(deps.log, deps.find, deps.signal, deps.liveness);
    const stored = calls.find(({ result }) => result !== null)?.result;
    if (stored) return stored;
    const pending = pendingTask(calls);
    const generator =
      (pending && deps.find(pending.generator)) ?? nextGenerator(untried(deps, failures), calls);
    if (generator === undefined) throw finalFailure(deps, calls, failures);
    if (generator.kind === 'local') return uses.local(generator);
    const outcome = await use(deps, uses, generator, { pending, calls });
    if (outcome instanceof CallsChanged) continue;
    if (!(outcome instanceof GeneratorError)) return outcome;
    if (outcome.failure.kind !== 'lost') failures.set(generator, outcome);
    if (!goesOn(deps, generator, outcome, await deps.log.list())) throw outcome;
  }
}

const untried = ({ candidates }: FailoverDeps, failures: ReadonlyMap<Generator, GeneratorError>) =>
  candidates.filter((candidate) => !failures.has(candidate));

interface Known {
  /** The call whose task is resumed; undefined to submit one. */
  pending: GeneratorCall | undefined;
  calls: readonly GeneratorCall[];
}

/** The call's result, or why there is none. Errors that are not the generator's leave the call to the next attempt. */
async function use(
  deps: FailoverDeps,
  uses: Uses,
  generator: UpstreamGenerator,
  { pending, calls }: Known,
): Promise<ObjectRef | GeneratorError | CallsChanged> {
  const { log, accountId } = deps;
  const breaker = deps.breakerOf(generator);
  const turn = await takeTurn(deps, generator);
  if (turn instanceof GeneratorError) return turn;
  using _place = turn;
  const id = pending?.id ?? randomUUID();
  let hasBegun = pending !== undefined;
  let hasTask = pending !== undefined;
  using life = keepAlive(() => log.beat(id), deps.liveness);
  const call: CurrentCall = {
    resume: pending && recordedTask(pending),
    ended: life.ended,
    async begin() {
      await beginCall(deps, generator, { id, calls });
      hasBegun = true;
      life.start();
    },
    async onSubmitted(task) {
      if (hasBegun) await recordTask(log, id, task);
      hasTask = true;
    },
  };
  if (hasBegun) life.start();
  try {
    const used = await breaker.run(accountId, () => uses.upstream(generator, call), verdictOf);
    if (hasBegun) await log.update(id, { ...used, outcome: 'completed' });
    return used.result;
  } catch (error) {
    if (error instanceof CallsChanged) return error;
    if (error instanceof NotSent && hasBegun) await log.update(id, NOT_SENT);
    if (error instanceof NotSent) throw error.cause;
    if (!(error instanceof GeneratorError)) {
      if (hasBegun && !hasTask) await log.update(id, CUT_OFF);
      throw error;
    }
    if (error.failure.kind === 'misconfigured') deps.alarm(generator.name, error);
    if (hasBegun) await record(log, { id, hasTask }, error);
    return withHope(error, breaker.idleMs() >= deps.unavailableMs);
  }
}

/** A place among the calls to the upstream, once it may be asked. */
async function takeTurn(
  { accountId, signal, unavailableMs, placesOf, breakerOf }: FailoverDeps,
  generator: UpstreamGenerator,
): Promise<Permit | GeneratorError> {
  const timeUp = AbortSignal.timeout(LONGEST_TURN_MS);
  const breaker = breakerOf(generator);
  for (;;) {
    const place = await acquireInTime(placesOf(generator), accountId, signal, timeUp);
    if (place === undefined) return waiting(`As many calls to ${generator.name} as allowed are in progress.`);
    const waitMs = breaker.waitMs(accountId);
    if (waitMs === 0) return place;
    place.release();
    if (waitMs > WORTH_WAITING_MS || timeUp.aborted)
      return withHope(paused(generator, waitMs), breaker.idleMs() >= unavailableMs);
    await pause(waitMs, signal);
  }
}

const CUT_OFF = { outcome: 'lost', error: 'The call was cut off before its response.' } as const;
const NOT_SENT = { outcome: 'cancelled', mayBeCharged: false, error: 'The call was not sent.' } as const;

/** As long as the upstream completes calls of any job, one that it tells to wait only has to wait. */
function withHope(error: GeneratorError, isIdle: boolean): GeneratorError {
  const { failure, message, cause, mayBeCharged, upstreamWorks } = error;
  if (failure.kind !== 'unavailable' || failure.retryAfterMs === undefined || isIdle) return error;
  return new GeneratorError({ ...failure, waits: true }, message, { cause, mayBeCharged, upstreamWorks });
}

function recordedTask({ task, ageMs }: GeneratorCall): RecordedTask | undefined {
  return task === null ? undefined : { task, since: performance.now() - ageMs };
}

async function beginCall(
  { log, signal, draining }: FailoverDeps,
  { name: generator, model, charges: mayBeCharged, tasks }: UpstreamGenerator,
  { id, calls }: { id: string; calls: readonly GeneratorCall[] },
): Promise<void> {
  signal.throwIfAborted();
  // It might be cut off. A task is resumed by another process.
  if (draining?.aborted && tasks === undefined)
    throw waiting(`This renderer stops and does not call ${generator}.`);
  const beginning = await log.begin({ id, generator, model, mayBeCharged }, calls).catch(async (error) => {
    // It may be recorded although the response of the store was lost.
    await log.update(id, NOT_SENT);
    throw error;
  });
  if (beginning === 'changed') throw new CallsChanged('Another attempt has called a generator.');
  if (beginning === 'ended') throw new GeneratorError({ kind: 'exhausted' }, 'The job has ended.');
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
  // The job has ended: its task is cancelled by whoever ends it.
  if (failure.kind === 'exhausted' && hasTask) return;
  if (hasTask && failure.kind === 'unavailable' && !mayBeCharged) return;
  await log.update(id, {
    outcome: failure.kind === 'exhausted' ? 'cancelled' : failure.kind,
    reason: failure.kind === 'refused' ? failure.reason : null,
    costUsd,
    error: message,
    ...(hasTask || mayBeCharged || failure.kind === 'exhausted' ? {} : { mayBeCharged: false }),
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
  // The job has ended.
  if (failure.kind === 'exhausted') return false;
  if (failure.kind !== 'unavailable') return true;
  if (pendingTask(calls) !== undefined) return false;
  return (failure.retryAfterMs ?? 0) > WORTH_WAITING_MS || hasUsedTurn(name, calls);
}

/** Every generator has failed: a later attempt makes sense if one of them could then be asked again. */
function finalFailure(
  { candidates, alarm }: FailoverDeps,
  calls: readonly GeneratorCall[],
  failures: ReadonlyMap<Generator, GeneratorError>,
): GeneratorError {
  const again = nextGenerator(candidates, calls);
  const failure = again === undefined ? undefined : failures.get(again);
  if (failure !== undefined) return failure;
  const recorded = recordedFailure(calls);
  const failed = calls.findLast(hasFailedTask);
  // It may be the model, the graph or the machine: somebody has to look.
  if (recorded.failure.kind === 'exhausted' && failed !== undefined) alarm(failed.generator, recorded);
  return recorded;
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
