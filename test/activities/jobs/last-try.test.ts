import { expect, test } from 'vitest';
import { isLastTry, type RenderProgress } from '../../../activities/jobs/render-failure.ts';
import { GeneratorError, type GeneratorFailure } from '../../../lib/generators/errors.ts';

const MINUTE = 60_000;
const unavailableMs = 30 * MINUTE;

/** The failures of one job as its attempts meet them. */
function failing() {
  const progress: RenderProgress = { processesEnded: 0 };
  let attempt = 0;
  return (minutes: number, failure: Partial<GeneratorFailure & { kind: 'unavailable' }> = {}) => {
    attempt += 1;
    const error = new GeneratorError({ kind: 'unavailable', ...failure }, 'failed');
    return isLastTry(progress, error, { attempt, processingMs: minutes * MINUTE, unavailableMs });
  };
}

test('a generator that is unavailable fails a job after half an hour', () => {
  const failsAt = failing();
  expect([0, 1, 20, 30, 31].map((minutes) => failsAt(minutes))).toEqual([false, false, false, false, true]);
});

test('a job that has waited for its turn for longer is not failed by the first failure', () => {
  const failsAt = failing();
  for (const minutes of [0, 20, 40]) expect(failsAt(minutes, { retryAfterMs: 1, waits: true })).toBe(false);
  expect([41, 42, 70, 71].map((minutes) => failsAt(minutes))).toEqual([false, false, false, true]);
});

test('nor one that has waited as long for a renderer', () => {
  const failsAt = failing();
  // The first attempt does not know how long it waited.
  expect([0, 60, 61, 90].map((minutes) => failsAt(minutes))).toEqual([false, false, false, true]);
});

test('an upstream that has completed nothing for half an hour and asks to wait fails a job that is as old', () => {
  const failsAt = failing();
  expect(failsAt(29, { retryAfterMs: 1 })).toBe(false);
  expect(failsAt(30, { retryAfterMs: 1 })).toBe(true);
});
