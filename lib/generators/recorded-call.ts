import { randomUUID } from 'node:crypto';
import { acquireUnlessAborted, type Limit, type Permit } from '../admission/limit.ts';
import { type CallLog, type GeneratorCall, isOpen, type UpstreamTask } from '../domain/generator-call.ts';
import type { ObjectRef } from '../domain/records.ts';
import { pause } from '../process/countdown.ts';
import type { Breaker, Verdict } from './breaker.ts';
import { GeneratorError, NotSent } from './errors.ts';
import { keepAlive, type Liveness, waiting } from './open-calls.ts';
import type { RecordedTask, UpstreamGenerator } from './port.ts';

export interface CurrentCall {
  /** The task to resume; undefined to submit one. */
  resume: RecordedTask | undefined;
  /** Aborts when the job has ended, so that nobody needs the call any more. */
  ended: AbortSignal;
  /**
   * Records the call that submits. Must be awaited right before the call is sent: from then on, the
   * end of the process may cost an image. Rejects when the job may make no further call.
   */
  begin(): Promise<void>;
  /**
   * Records the task that the call has submitted.
   * @throws Error when the call has ended, and nobody waits for the task
   */
  onSubmitted(task: UpstreamTask): Promise<void>;
}

/** The result of a call, which is stored already. */
export interface CallResult extends Pick<GeneratorCall, 'costUsd' | 'edgeRecall'> {
  result: ObjectRef;
}

export interface CallDeps {
  /** Whose job it is. */
  accountId: string;
  /** Aborts when the attempt has to end. A call that has been sent may go on. */
  signal: AbortSignal;
  /** Aborts when the process is told to end: its grace period is for calls that have begun. */
  draining?: AbortSignal | undefined;
  /** LIVENESS by default. */
  liveness?: Liveness | undefined;
  /**
   * How long an upstream may have completed no call before it fails a job that it tells to wait.
   * Milliseconds.
   */
  unavailableMs: number;
  log: CallLog;
  breakerOf: (generator: UpstreamGenerator) => Breaker;
  /** Limits the calls in progress. Owners: accounts. */
  limitOf: (generator: UpstreamGenerator) => Limit;
  /** Called when a generator cannot be used as it is configured. An operator has to correct it. */
  alarm: (generator: string, error: Error) => void;
}

/** What is known before the call. */
interface Known {
  /** The call whose task is resumed; undefined to submit one. */
  pending: GeneratorCall | undefined;
  calls: readonly GeneratorCall[];
}

/** An upstream that asks to wait longer is not waited for when there is another one. */
export const WORTH_WAITING_MS = 10_000;

/**
 * Longest wait in one attempt. A later attempt may wait again, and leaves its slot of the renderer
 * to others until then.
 */
const LONGEST_WAIT_MS = 120_000;

/** Another attempt has made or ended a call since the calls were listed. */
export class CallsChanged extends Error {
  override readonly name = 'CallsChanged';
}

const CUT_OFF = { outcome: 'lost', error: 'The call was cut off before its response.' } as const;
const NOT_SENT = { outcome: 'cancelled', mayBeCharged: false, error: 'The call was not sent.' } as const;

/**
 * Calls an upstream, and records the call in the job from its beginning to its outcome.
 * @param work makes the call and stores its result
 * @returns the result, or why there is none. Other errors reject. A task then stays open for the
 * next attempt, and a call without a task ends as lost
 */
export async function recordedCall(
  deps: CallDeps,
  generator: UpstreamGenerator,
  { pending, calls }: Known,
  work: (call: CurrentCall) => Promise<CallResult>,
): Promise<ObjectRef | GeneratorError | CallsChanged> {
  const { log, accountId } = deps;
  const breaker = deps.breakerOf(generator);
  const permit = await permitToCall(deps, generator);
  if (permit instanceof GeneratorError) return permit;
  using _permit = permit;
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
    const done = await breaker.run(accountId, () => work(call), verdictOf);
    if (hasBegun) await log.update(id, { ...done, outcome: 'completed' });
    return done.result;
  } catch (error) {
    if (error instanceof CallsChanged) return error;
    if (error instanceof NotSent && hasBegun) await log.update(id, NOT_SENT);
    if (error instanceof NotSent) throw error.cause;
    if (!(error instanceof GeneratorError)) {
      if (hasBegun && !hasTask) await log.update(id, CUT_OFF);
      throw error;
    }
    if (error.failure.kind === 'misconfigured') deps.alarm(generator.name, error);
    if (hasBegun) await recordFailure(log, { id, hasTask }, error);
    return withHope(error, breaker.idleMs() >= deps.unavailableMs);
  }
}

/** Waits until the upstream may be called. */
async function permitToCall(
  { accountId, signal, unavailableMs, limitOf, breakerOf }: CallDeps,
  generator: UpstreamGenerator,
): Promise<Permit | GeneratorError> {
  const timeUp = AbortSignal.timeout(LONGEST_WAIT_MS);
  const breaker = breakerOf(generator);
  for (;;) {
    const permit = await acquireInTime(limitOf(generator), accountId, signal, timeUp);
    if (permit === undefined)
      return waiting(`As many calls to ${generator.name} as allowed are in progress.`);
    const waitMs = breaker.waitMs(accountId);
    if (waitMs === 0) return permit;
    permit.release();
    if (waitMs > WORTH_WAITING_MS || timeUp.aborted)
      return withHope(paused(generator, waitMs), breaker.idleMs() >= unavailableMs);
    await pause(waitMs, signal);
  }
}

/** @returns undefined when the time is up first. @throws the reason of `signal` */
async function acquireInTime(
  limit: Limit,
  owner: string,
  signal: AbortSignal,
  timeUp: AbortSignal,
): Promise<Permit | undefined> {
  if (timeUp.aborted) return limit.acquireNow(owner, 1);
  try {
    return await acquireUnlessAborted(limit, owner, 1, AbortSignal.any([signal, timeUp]));
  } catch (error) {
    signal.throwIfAborted();
    if (timeUp.aborted) return undefined;
    throw error;
  }
}

function paused({ name }: UpstreamGenerator, retryAfterMs: number): GeneratorError {
  const message = `${name} is not asked for another ${Math.ceil(retryAfterMs / 1000)} s.`;
  return new GeneratorError({ kind: 'unavailable', retryAfterMs }, message);
}

/**
 * While the upstream completes calls of any job, a job that it tells to wait has not failed: it
 * only waits.
 */
function withHope(error: GeneratorError, isIdle: boolean): GeneratorError {
  const { failure, message, cause, mayBeCharged, upstreamWorks } = error;
  if (failure.kind !== 'unavailable' || failure.retryAfterMs === undefined || isIdle) return error;
  return new GeneratorError({ ...failure, waits: true }, message, { cause, mayBeCharged, upstreamWorks });
}

/** What an error says about the upstream. An upstream that refuses an image works. */
function verdictOf(error: unknown): Verdict {
  if (!(error instanceof GeneratorError)) return 'unknown';
  if (error.upstreamWorks) return 'works';
  return error.failure.kind === 'unavailable' ? error.failure : 'unknown';
}

function recordedTask({ task, ageMs }: GeneratorCall): RecordedTask | undefined {
  return task === null ? undefined : { task, since: performance.now() - ageMs };
}

async function beginCall(
  { log, signal, draining }: CallDeps,
  { name: generator, model, charges: mayBeCharged, tasks }: UpstreamGenerator,
  { id, calls }: { id: string; calls: readonly GeneratorCall[] },
): Promise<void> {
  signal.throwIfAborted();
  // The end of the process would cut off the call. A task is resumed by another process.
  if (draining?.aborted && tasks === undefined)
    throw waiting(`This renderer stops and does not call ${generator}.`);
  const beginning = await log.begin({ id, generator, model, mayBeCharged }, calls).catch(async (error) => {
    // The call may be recorded although the response of the store was lost.
    await log.update(id, NOT_SENT);
    throw error;
  });
  if (beginning === 'changed') throw new CallsChanged('Another attempt has called a generator.');
  if (beginning === 'ended') throw new GeneratorError({ kind: 'exhausted' }, 'The job has ended.');
}

/**
 * Another attempt may have taken this call for lost. If callers choose the id of the task, as with
 * ComfyUI, that attempt waits for the same task.
 */
async function recordTask(log: CallLog, callId: string, task: UpstreamTask): Promise<void> {
  if (await log.update(callId, { task })) return;
  const isShared = (await log.list()).some((call) => isOpen(call) && call.task?.id === task.id);
  if (!isShared) throw new Error(`The call had ended before its task ${task.id} was named.`);
}

/**
 * Records how a call failed. If the upstream that runs the task could not be reached, the task
 * stays pending. Reads nothing first: a read that fails would lose the response, and the call would
 * count as charged.
 */
async function recordFailure(
  log: CallLog,
  { id, hasTask }: { id: string; hasTask: boolean },
  error: GeneratorError,
): Promise<void> {
  const { failure, mayBeCharged, costUsd, message } = error;
  // The job has ended. Whoever has ended it cancels the task.
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
