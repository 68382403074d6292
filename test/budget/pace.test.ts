import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { countPieces, watchPace } from '../../pace.ts';

describe('the number of pieces', () => {
  const limits = { freePieces: 3, pieceBytes: 10 };

  test('is free at first, whatever they hold', () => {
    const mayGoOn = countPieces(limits);
    expect([1, 0, 1, 1].map(mayGoOn)).toEqual([true, true, true, false]);
  });

  test('is bounded by what all of them hold', () => {
    const mayGoOn = countPieces(limits);
    expect([38, 1, 1, 1, 8].map(mayGoOn)).toEqual([true, true, true, true, false]);
    const large = countPieces(limits);
    for (let n = 0; n < 1000; n++) expect(large(10)).toBe(true);
  });
});

describe('the pace', () => {
  const limits = { bytesPerSecond: 100, slackMs: 10_000 };
  let tooSlow = 0;
  const watch = () => watchPace(limits, () => (tooSlow += 1));

  beforeEach(() => {
    tooSlow = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => vi.useRealTimers());

  test('is lost by standing still for the slack, however much came before', () => {
    const pace = watch();
    pace.arrived(1_000_000);
    vi.advanceTimersByTime(9999);
    expect(tooSlow).toBe(0);
    vi.advanceTimersByTime(1);
    expect([tooSlow, vi.getTimerCount()]).toEqual([1, 0]);
  });

  test('is kept at the rate for any time', () => {
    const pace = watch();
    for (let second = 0; second < 600; second++) {
      vi.advanceTimersByTime(1000);
      pace.arrived(100);
    }
    expect(tooSlow).toBe(0);
  });

  test('is lost by half the rate after twice the slack', () => {
    const pace = watch();
    let seconds = 0;
    for (; tooSlow === 0 && seconds < 600; seconds++) {
      vi.advanceTimersByTime(1000);
      pace.arrived(50);
    }
    expect(seconds).toBeGreaterThanOrEqual(19);
    expect(seconds).toBeLessThanOrEqual(21);
  });

  test('is no longer watched after disposal', () => {
    watch()[Symbol.dispose]();
    vi.advanceTimersByTime(60_000);
    expect([tooSlow, vi.getTimerCount()]).toEqual([0, 0]);
  });
});
