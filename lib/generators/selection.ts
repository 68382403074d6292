import {
  type GeneratorCall,
  hasFailedTask,
  MOST_CHARGED_CALLS,
  MOST_FAILED_TASKS,
} from '../domain/generator-call.ts';
import { GeneratorError } from './errors.ts';
import type { Generator } from './port.ts';

/** Failures as unavailable before the next generator is asked. */
const TRIES_PER_TURN = 3;

const isExhausted = (calls: readonly GeneratorCall[]): boolean =>
  calls.filter(({ mayBeCharged }) => mayBeCharged).length >= MOST_CHARGED_CALLS;

/** Whether the generator has failed as often as it may before it is another one's turn. */
export function hasUsedTurn(name: string, calls: readonly GeneratorCall[]): boolean {
  const failures = failuresOf(name, calls);
  return failures > 0 && failures % TRIES_PER_TURN === 0;
}

/**
 * The generator to ask next: of those that have not refused the job or turned out to be misconfigured, the first in the
 * order of preference with the fewest turns used. Undefined if there is none.
 */
export function nextGenerator(
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

/** The failure of a job for which no generator is left to ask. */
export function recordedFailure(calls: readonly GeneratorCall[]): GeneratorError {
  const refusal = calls.findLast(({ reason }) => reason !== null);
  const message = (refusal ?? calls.at(-1))?.error ?? 'No generator can be used.';
  if (refusal?.reason) return new GeneratorError({ kind: 'refused', reason: refusal.reason }, message);
  const kind = isExhausted(calls) || hasFailedTasks(calls) ? 'exhausted' : 'misconfigured';
  return new GeneratorError({ kind }, message);
}

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

const isPaid = (generator: Generator) => generator.kind === 'upstream' && generator.charges;
