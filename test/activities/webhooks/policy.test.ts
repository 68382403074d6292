import { describe, expect, test } from 'vitest';
import { delayAfter, webhookPolicy } from '../../../activities/webhooks/policy.ts';
import { receiverRetryAfterMs } from '../../../activities/webhooks/send.ts';

const policy = webhookPolicy();
const sample = (draw: () => number | undefined) => Array.from({ length: 500 }, () => draw() ?? Number.NaN);

describe('the schedule of a delivery', () => {
  test('has eight attempts in about 28 hours', () => {
    const seconds = policy.scheduleMs.map((ms) => ms / 1000);
    expect(seconds).toEqual([0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000]);
    expect(delayAfter(7, policy, undefined)).toBeDefined();
    expect(delayAfter(8, policy, undefined)).toBeUndefined();
    expect(delayAfter(8, policy, 1000)).toBeUndefined();
  });

  test('has a jitter of a fifth either way', () => {
    const waits = sample(() => delayAfter(1, policy, undefined));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(4000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(6000);
    expect(new Set(waits).size).toBeGreaterThan(100);
  });

  test.each([
    [1000, 5000, 6000],
    [8000, 8000, 9600],
    [86_400_000, 10_000, 10_000],
  ])('honours a Retry-After of %i ms between one and two times its own delay', (requestedMs, least, most) => {
    const waits = sample(() => delayAfter(1, policy, requestedMs));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...waits)).toBeLessThanOrEqual(most);
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 10, 21, 12, 0, 0);
  test.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Sat, 21 Nov 2026 12:01:00 GMT', 60_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['-5', undefined],
    ['1e9', undefined],
    ['99999999999999999999', undefined],
    ['soon', undefined],
    ['1, 1', undefined],
    ['', undefined],
  ])('%j is parsed', (value, expected) => {
    expect(receiverRetryAfterMs({ 'retry-after': value }, now)).toBe(expected);
  });

  test.each([
    ['Sat, 21 Nov 2026 12:05:00 GMT', 60_000],
    ['at noon', 360_000],
  ])('as a date counts from the Date header, or from now when that is invalid: %s', (date, expected) => {
    const headers = { date, 'retry-after': 'Sat, 21 Nov 2026 12:06:00 GMT' };
    expect(receiverRetryAfterMs(headers, now)).toBe(expected);
  });

  test('may be missing', () => expect(receiverRetryAfterMs({}, now)).toBeUndefined());
});
