import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { countPieces, watchPace } from '../../../lib/admission/pace.ts';

describe('countPieces', () => {
  const limits = { freePieces: 3, pieceBytes: 10 };

  test('allows a number of pieces of any size', () => {
    const isWithinLimit = countPieces(limits);
    expect([1, 0, 1, 1].map(isWithinLimit)).toEqual([true, true, true, false]);
  });

  test('limits further pieces by their average size', () => {
    const isWithinLimit = countPieces(limits);
    expect([38, 1, 1, 1, 8].map(isWithinLimit)).toEqual([true, true, true, true, false]);
    const large = countPieces(limits);
    for (let n = 0; n < 1000; n++) expect(large(10)).toBe(true);
  });
});

describe('watchPace', () => {
  const limits = { bytesPerSecond: 100, slackMs: 10_000 };
  let tooSlow = 0;
  const watch = () => watchPace(limits, () => (tooSlow += 1));

  beforeEach(() => {
    tooSlow = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => vi.useRealTimers());

  test('fires after a pause of slackMs, regardless of earlier bytes', () => {
    const pace = watch();
    pace.arrived(1_000_000);
    vi.advanceTimersByTime(9999);
    expect(tooSlow).toBe(0);
    vi.advanceTimersByTime(1);
    expect([tooSlow, vi.getTimerCount()]).toEqual([1, 0]);
  });

  test('does not fire at the minimum rate', () => {
    const pace = watch();
    for (let second = 0; second < 600; second++) {
      vi.advanceTimersByTime(1000);
      pace.arrived(100);
    }
    expect(tooSlow).toBe(0);
  });

  test('fires after twice slackMs at half the rate', () => {
    const pace = watch();
    let seconds = 0;
    for (; tooSlow === 0 && seconds < 600; seconds++) {
      vi.advanceTimersByTime(1000);
      pace.arrived(50);
    }
    expect(seconds).toBeGreaterThanOrEqual(19);
    expect(seconds).toBeLessThanOrEqual(21);
  });

  test('never fires when a stream may fall behind without limit', () => {
    watchPace({ ...limits, slackMs: Number.POSITIVE_INFINITY }, () => (tooSlow += 1)).arrived(1);
    vi.advanceTimersByTime(10_000_000_000);
    expect(tooSlow).toBe(0);
  });

  test('does not fire after disposal', () => {
    watch()[Symbol.dispose]();
    vi.advanceTimersByTime(60_000);
    expect([tooSlow, vi.getTimerCount()]).toEqual([0, 0]);
  });
});
