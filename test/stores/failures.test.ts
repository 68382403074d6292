import { expect, test } from 'vitest';
import { countedFor } from '../../stores/failures.ts';

const HOUR = 3_600_000;
const now = new Date('2026-11-21T12:00:00Z');
const counted = (sinceMs: number) => countedFor({ since: new Date(now.getTime() + sinceMs), jobs: 1 }, now);

test.each([
  ['now', 0, HOUR],
  ['a while ago', -HOUR / 4, (3 * HOUR) / 4],
  ['an hour ago', -HOUR, 0],
  ['yesterday', -24 * HOUR, 0],
  ['a moment ahead, by the clock of another machine', HOUR / 4, HOUR],
  ['tomorrow, by a clock that is wrong', 24 * HOUR, 0],
])('failures since %s', (_, sinceMs, expected) => {
  expect(counted(sinceMs)).toBe(expected);
});
