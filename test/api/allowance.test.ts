import { beforeEach, expect, test } from 'vitest';
import { type Allowance, createAllowance } from '../../api/budgets/allowance.ts';

let now: number;
let allowance: Allowance;

beforeEach(() => {
  now = 1000;
  allowance = createAllowance({ limit: 100, windowMs: 60, now: () => now });
});

test('counts what was spent within the window', () => {
  allowance.spend('a').add(60);
  now += 10;
  expect(allowance.wait('a')).toBe(0);
  allowance.spend('a').add(40);
  expect([allowance.wait('a'), allowance.wait('b')]).toEqual([50, 0]);
  now += 50;
  expect(allowance.wait('a')).toBe(0);
});

test('waits until enough spendings have expired', () => {
  for (const amount of [10, 10, 100]) {
    allowance.spend('a').add(amount);
    now += 10;
  }
  expect(allowance.wait('a')).toBe(50);
});

test('does not count a cancelled spending', () => {
  const spending = allowance.spend('a');
  spending.add(90);
  spending.add(90);
  expect(allowance.wait('a')).toBe(60);
  spending.cancel();
  expect(allowance.wait('a')).toBe(0);
});

test('removes keys whose spendings have expired', () => {
  for (let n = 0; n < 100; n++) allowance.spend(`key ${n}`).add(1);
  expect(allowance.size).toBe(100);
  now += 60;
  for (let n = 0; n < 100; n++) allowance.spend('other');
  expect(allowance.size).toBe(1);
});
