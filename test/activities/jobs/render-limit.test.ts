import { expect, test } from 'vitest';
import { createRenderLimits, permitFor } from '../../../activities/jobs/render-job.ts';

const waiting = (nextRetryDelay = expect.any(Number)) =>
  expect.objectContaining({ type: 'render_waiting', nonRetryable: false, nextRetryDelay });

const open = (renders: number) => {
  const limits = createRenderLimits(renders, 1);
  return (accountId: string, attempt = 1) => permitFor(limits, { accountId }, attempt);
};

test('one account may have three quarters of the renders, and another one the rest', () => {
  const permit = open(8);
  const held = Array.from({ length: 6 }, () => permit('a'));
  expect(() => permit('a')).toThrow(waiting());
  expect(() => permit('b')).not.toThrow();

  held[0]?.release();
  expect(() => permit('a', 2)).not.toThrow();
});

test('the only render is open to everyone', () => {
  expect(() => open(1)('a')).not.toThrow();
});

test('a render that has waited often waits longer, up to about 15 seconds', () => {
  const permit = open(1);
  permit('a');
  const waitOf = (attempt: number): number => {
    try {
      permit('a', attempt);
    } catch (error) {
      return Number(Reflect.get(Object(error), 'nextRetryDelay'));
    }
    return 0;
  };
  expect(waitOf(1)).toBeLessThan(2000);
  expect(waitOf(1000)).toBeGreaterThan(10_000);
  expect(waitOf(1000)).toBeLessThan(20_000);
});
