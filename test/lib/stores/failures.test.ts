import { expect, test } from 'vitest';
import { remainingMs } from '../../../lib/domain/failures.ts';

const HOUR = 3_600_000;
const now = new Date('2026-11-21T12:00:00Z');
const countedMs = (sinceMs: number) =>
  remainingMs({ since: new Date(now.getTime() + sinceMs), jobs: 1 }, now);

test.each([
  ['now', 0, HOUR],
  ['a while ago', -HOUR / 4, (3 * HOUR) / 4],
  ['an hour ago', -HOUR, 0],
  ['yesterday', -24 * HOUR, 0],
  ['the near future, because clocks differ', HOUR / 4, HOUR],
  ['tomorrow, because a clock is wrong', 24 * HOUR, 0],
])('failures since %s', (_, sinceMs, expected) => {
  expect(countedMs(sinceMs)).toBe(expected);
});
