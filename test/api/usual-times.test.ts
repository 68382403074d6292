import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createUsualTimes } from '../../api/waiting/usual-times.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const at = (ms: number) => new Date(NOW + ms);

/** A job that has just ended after so many milliseconds. */
const took = (ms: number, tool = 'pool') => ({
  id: randomUUID(),
  tool,
  status: 'completed' as const,
  createdAt: at(-ms),
  completedAt: at(0),
});

function learned(...times: number[]) {
  const usual = createUsualTimes(() => NOW);
  for (const ms of times) usual.saw(took(ms));
  return usual;
}

test('what a tool usually takes is the median of its latest 20 jobs', () => {
  expect(learned().of('pool')).toBeUndefined();
  expect(learned(9000, 1000, 2000).of('pool')).toBe(2000);
  expect(learned(9000, 1000, 2000).of('declutter')).toBeUndefined();
  const old = Array.from({ length: 20 }, () => 1000);
  expect(learned(...old, ...old.map(() => 5000)).of('pool')).toBe(5000);
});

test('a job counts once, however often it is read; one that failed, is processing or ended long ago never', () => {
  const usual = learned(1000, 2000, 3000);
  const slow = took(90_000);
  for (let n = 0; n < 10; n += 1) usual.saw(slow);
  expect(usual.of('pool')).toBe(3000);
  for (let n = 0; n < 10; n += 1) {
    usual.saw({ ...took(90_000), status: 'failed' });
    usual.saw({ ...took(90_000), status: 'processing', completedAt: null });
    usual.saw({ ...took(90_000), completedAt: at(-2 * 3_600_000) });
  }
  expect(usual.of('pool')).toBe(3000);
});

test.each([
  ['nothing is known', [], 0, 3],
  ['it has just begun', [12_500], 0, 13],
  ['it is nearly done', [12_500], 12_000, 1],
  ['it takes longer than usual', [12_500], 20_000, 3],
  ['it takes very long', [400_000], 0, 30],
  ['the clock of the worker is ahead', [12_500], -1000, 13],
])('Retry-After when %s', (_when, times, ageMs, seconds) => {
  expect(learned(...times).retryAfter({ tool: 'pool', createdAt: at(-ageMs) })).toBe(seconds);
});

test('progress is what a job has taken and what its tool usually takes, once that is known', () => {
  const job = { tool: 'pool', createdAt: at(-4000) };
  expect(learned().progress(job)).toBeUndefined();
  expect(learned(12_500).progress(job)).toEqual({ elapsed_ms: 4000, expected_ms: 12_500 });
  expect(learned(12_500).progress({ ...job, createdAt: at(50) })).toMatchObject({ elapsed_ms: 0 });
});
