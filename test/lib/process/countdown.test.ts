import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { abortAfter, countdown } from '../../../lib/process/countdown.ts';

let now = 0;
let ended = 0;
const onEnd = () => {
  ended += 1;
};

beforeEach(() => {
  [now, ended] = [0, 0];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/**
 * The process runs: timers fire.
 * @returns the milliseconds after which the countdown had ended, or all of them
 */
function run(ms: number): number {
  const before = ended;
  for (let passed = 10; passed <= ms; passed += 10) {
    now += 10;
    vi.advanceTimersByTime(10);
    if (ended > before) return passed;
  }
  return ms;
}

/** The process stands still: no timer fires. */
function standStill(ms: number): void {
  now += ms;
}

test('ends after its time', () => {
  countdown(2500, onEnd);
  expect([run(10_000), ended, vi.getTimerCount()]).toEqual([2500, 1, 0]);
});

test('time in which the process stood still does not count', () => {
  countdown(60_000, onEnd);
  run(30_000);
  standStill(3_600_000);
  expect(run(28_000)).toBe(28_000);
  expect(run(10_000)).toBeLessThanOrEqual(2000);
  expect(ended).toBe(1);
});

test('what arrived while the process stood still gets five seconds to be read, once', () => {
  countdown(200, onEnd);
  standStill(60_000);
  expect(run(5000)).toBe(5000);
  for (let n = 0; n < 20 && ended === 0; n += 1) {
    standStill(60_000);
    run(500);
  }
  expect([ended, vi.getTimerCount()]).toEqual([1, 0]);
});

test('a timer that is a little late changes nothing', () => {
  countdown(2000, onEnd);
  run(990);
  standStill(90);
  expect(run(10_000)).toBeLessThanOrEqual(1020);
});

test('time that is added counts up to a limit', () => {
  const { add } = countdown(2000, onEnd);
  run(500);
  add(10_000, 3000);
  expect(run(10_000)).toBe(3000);
});

test('a pause stops it', () => {
  const { pause } = countdown(2500, onEnd);
  run(1500);
  const resume = pause();
  run(60_000);
  expect([ended, vi.getTimerCount()]).toEqual([0, 0]);
  resume();
  expect(run(10_000)).toBe(1000);
});

test('one without an end needs no timer, and a disposed one has none', () => {
  countdown(Number.POSITIVE_INFINITY, onEnd).add(1, 2);
  countdown(1000, onEnd)[Symbol.dispose]();
  expect(vi.getTimerCount()).toBe(0);
});

test('one whose time is over before it begins ends at once', () => {
  countdown(-5, onEnd);
  expect(run(1000)).toBe(10);
});

test('a signal aborts after its time, as that of a timeout', () => {
  const signal = abortAfter(1500);
  run(1490);
  expect(signal.aborted).toBe(false);
  run(10);
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});
