import { expect, test } from 'vitest';
import { createAccountShares } from '../../../activities/jobs/account-shares.ts';

const waiting = (nextRetryDelay = expect.any(Number)) =>
  expect.objectContaining({ type: 'render_waiting', nonRetryable: false, nextRetryDelay });

test('one account has three quarters of the slots, and another one the rest', () => {
  const shares = createAccountShares(8);
  const taken = Array.from({ length: 6 }, () => shares.enter('a', 1));
  expect(() => shares.enter('a', 1)).toThrow(waiting());
  expect(() => shares.enter('b', 1)).not.toThrow();

  taken[0]?.[Symbol.dispose]();
  expect(() => shares.enter('a', 2)).not.toThrow();
});

test('the only slot is for everyone', () => {
  expect(() => createAccountShares(1).enter('a', 1)).not.toThrow();
});

test('a render that has waited often waits longer, up to about 15 seconds', () => {
  const shares = createAccountShares(1);
  shares.enter('a', 1);
  const waitOf = (attempt: number): number => {
    try {
      shares.enter('a', attempt);
    } catch (error) {
      return Number(Reflect.get(Object(error), 'nextRetryDelay'));
    }
    return 0;
  };
  expect(waitOf(1)).toBeLessThan(2000);
  expect(waitOf(1000)).toBeGreaterThan(10_000);
  expect(waitOf(1000)).toBeLessThan(20_000);
});
