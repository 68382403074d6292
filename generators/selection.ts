import { type GeneratorCall, MOST_CHARGED_CALLS } from '../domain/generator-call.ts';
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
  const usable = candidates.filter(
    (generator) =>
      !calls.some(({ generator: name, outcome }) => name === generator.name && isFinal(outcome)) &&
      !(exhausted && isPaid(generator)),
  );
  const turns = (name: string) => Math.floor(failuresOf(name, calls) / TRIES_PER_TURN);
  const fewest = Math.min(...usable.map(({ name }) => turns(name)));
  return usable.find(({ name }) => turns(name) === fewest);
}

/** The failure of a job for which no generator is left to ask. */
export function recordedFailure(calls: readonly GeneratorCall[]): GeneratorError {
  const refusal = calls.findLast(({ reason }) => reason !== null);
  const message = (refusal ?? calls.at(-1))?.error ?? 'No generator can be used.';
  if (refusal?.reason) return new GeneratorError({ kind: 'refused', reason: refusal.reason }, message);
  return new GeneratorError({ kind: isExhausted(calls) ? 'exhausted' : 'misconfigured' }, message);
}

const failuresOf = (name: string, calls: readonly GeneratorCall[]): number =>
  calls.filter(({ generator, outcome }) => generator === name && outcome === 'unavailable').length;

const isFinal = (outcome: GeneratorCall['outcome']) => outcome === 'refused' || outcome === 'misconfigured';

const isPaid = (generator: Generator) => generator.kind === 'upstream' && generator.charges;
