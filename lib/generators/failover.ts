import {
  type GeneratorCall,
  hasFailedTask,
  MOST_CHARGED_CALLS,
  MOST_FAILED_TASKS,
} from '../domain/generator-call.ts';
import type { ObjectRef } from '../domain/records.ts';
import { GeneratorError } from './errors.ts';
import { endLostCalls, type FindUpstream, pendingTask } from './open-calls.ts';
import type { Generator, LocalGenerator, UpstreamGenerator } from './port.ts';
import {
  type CallDeps,
  type CallResult,
  CallsChanged,
  type CurrentCall,
  recordedCall,
  WORTH_WAITING_MS,
} from './recorded-call.ts';

/** How each kind of generator is used. Both store the result. */
export interface Uses {
  local(generator: LocalGenerator): Promise<ObjectRef>;
  upstream(generator: UpstreamGenerator, call: CurrentCall): Promise<CallResult>;
}

export interface FailoverDeps extends CallDeps {
  /** In the order of preference. */
  candidates: readonly Generator[];
  /** All configured upstreams: a task is resumed even if its upstream is no longer a candidate. */
  find: FindUpstream;
  /** Whether an earlier attempt may have called an upstream. */
  mayHaveCalls: boolean;
  /** Whether the next generator is asked when one refuses the image or the instruction. */
  onRefused: boolean;
}

/** After so many failures as unavailable, the next generator is asked. */
const TRIES_PER_TURN = 3;

/**
 * Renders with the first generator that can be used. The calls of earlier attempts decide which
 * generator that is. A stored result is returned, and a task that may still be running is resumed
 * before anything is submitted.
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
    // The attempt that was refused may have died before it could report it.
    if (pending === undefined && !deps.onRefused && calls.some(isPaidRefusal)) throw recordedFailure(calls);
    const generator =
      (pending && deps.find(pending.generator)) ?? nextGenerator(untried(deps, failures), calls);
    if (generator === undefined) throw finalFailure(deps, calls, failures);
    if (generator.kind === 'local') return uses.local(generator);
    const outcome = await recordedCall(deps, generator, { pending, calls }, (call) =>
      uses.upstream(generator, call),
    );
    if (outcome instanceof CallsChanged) continue;
    if (!(outcome instanceof GeneratorError)) return outcome;
    if (outcome.failure.kind !== 'lost') failures.set(generator, outcome);
    if (!goesOn(deps, generator, outcome, await deps.log.list())) throw outcome;
  }
}

const untried = ({ candidates }: FailoverDeps, failures: ReadonlyMap<Generator, GeneratorError>) =>
  candidates.filter((candidate) => !failures.has(candidate));

/**
 * The generator to ask next: the first in the order of preference with the fewest turns used. A
 * generator that has refused the job or is misconfigured is not asked. Undefined if there is none.
 */
function nextGenerator(
  candidates: readonly Generator[],
  calls: readonly GeneratorCall[],
): Generator | undefined {
  const exhausted = isExhausted(calls);
  const usable = candidates.filter((generator) => {
    const own = calls.filter(({ generator: name }) => name === generator.name);
    if (own.some(({ outcome }) => isFinal(outcome)) || hasFailedTasks(own)) return false;
    return !(exhausted && isPaid(generator));
  });
  const turns = (name: string) => Math.floor(failuresOf(name, calls) / TRIES_PER_TURN);
  const fewest = Math.min(...usable.map(({ name }) => turns(name)));
  return usable.find(({ name }) => turns(name) === fewest);
}

/**
 * Whether another generator is asked in this attempt. If not, a later attempt asks the same one, or
 * none.
 */
function goesOn(
  { onRefused }: FailoverDeps,
  { name }: Generator,
  { failure, mayBeCharged }: GeneratorError,
  calls: readonly GeneratorCall[],
): boolean {
  // A refusal that costs nothing is about a limit of this upstream, such as the size or ratio that
  // it takes.
  if (failure.kind === 'refused') return onRefused || !mayBeCharged;
  // The job has ended.
  if (failure.kind === 'exhausted') return false;
  if (failure.kind !== 'unavailable') return true;
  if (pendingTask(calls) !== undefined) return false;
  return (failure.retryAfterMs ?? 0) > WORTH_WAITING_MS || hasUsedTurn(name, calls);
}

/** Whether the turn of the generator has just ended: it has failed as often as a turn allows. */
function hasUsedTurn(name: string, calls: readonly GeneratorCall[]): boolean {
  const failures = failuresOf(name, calls);
  return failures > 0 && failures % TRIES_PER_TURN === 0;
}

/**
 * Every generator has failed. A later attempt makes sense if one of them could then be asked again.
 */
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
  // The cause may be the model, the graph or the machine: an operator has to look.
  if (recorded.failure.kind === 'exhausted' && failed !== undefined) alarm(failed.generator, recorded);
  return recorded;
}

/** The failure of a job for which no generator is left to ask. */
function recordedFailure(calls: readonly GeneratorCall[]): GeneratorError {
  const refusal = calls.findLast(({ reason }) => reason !== null);
  const message = (refusal ?? calls.at(-1))?.error ?? 'No generator can be used.';
  if (refusal?.reason) return new GeneratorError({ kind: 'refused', reason: refusal.reason }, message);
  const kind = isExhausted(calls) || hasFailedTasks(calls) ? 'exhausted' : 'misconfigured';
  return new GeneratorError({ kind }, message);
}

const isExhausted = (calls: readonly GeneratorCall[]): boolean =>
  calls.filter(({ mayBeCharged }) => mayBeCharged).length >= MOST_CHARGED_CALLS;

/** Whether so many tasks have failed that another one would fail as well. */
const hasFailedTasks = (calls: readonly GeneratorCall[]) =>
  calls.filter(hasFailedTask).length >= MOST_FAILED_TASKS;

const failuresOf = (name: string, calls: readonly GeneratorCall[]): number =>
  calls
    .filter(({ generator }) => generator === name)
    .reduce(
      (sum, { outcome, earlierFailures }) => sum + earlierFailures + (outcome === 'unavailable' ? 1 : 0),
      0,
    );

const isFinal = (outcome: GeneratorCall['outcome']) => outcome === 'refused' || outcome === 'misconfigured';

const isPaidRefusal = ({ outcome, mayBeCharged }: GeneratorCall) => outcome === 'refused' && mayBeCharged;

const isPaid = (generator: Generator) => generator.kind === 'upstream' && generator.charges;
