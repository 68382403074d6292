import { expect, test } from 'vitest';
import { acceptanceLeftMs } from '../../lib/protocol/job.ts';

const NOW = Date.parse('2026-11-01T12:00:00Z');
const HOUR_MS = 3600_000;
const left = (startedAt: number, sentAt: number) =>
  acceptanceLeftMs({ acceptWithinMs: 5000, sentAt }, startedAt, NOW);

test('an acceptance has the time that the API waits for it, from the start of the workflow', () => {
  expect(left(NOW - 2000, NOW - 2000)).toBe(3000);
  expect(left(NOW - 6000, NOW - 6000)).toBe(-1000);
});

test.each([-20, 20])('clocks of API and Temporal that are %i hours apart change nothing', (hours) => {
  expect(left(NOW - 2000, NOW - 2000 + hours * HOUR_MS)).toBe(3000);
});

test('a workflow that starts, or is reset, more than a day after the API called is not accepted', () => {
  expect(left(NOW, NOW - 25 * HOUR_MS)).toBeLessThan(0);
});
