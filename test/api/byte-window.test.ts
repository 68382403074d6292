import { beforeEach, expect, test } from 'vitest';
import { type Allowance, createAllowance } from '../../api/admission/byte-window.ts';

let now: number;
let allowance: Allowance;

beforeEach(() => {
  now = 1000;
  allowance = createAllowance({ limit: 100, windowMs: 60, now: () => now });
});

test('counts what was spent within the window', () => {
  allowance.count('a', { amount: 60 });
  now += 10;
  expect(allowance.wait('a')).toBe(0);
  allowance.count('a', { amount: 40 });
  expect([allowance.wait('a'), allowance.wait('b')]).toEqual([50, 0]);
  now += 50;
  expect(allowance.wait('a')).toBe(0);
});

test('waits until enough spendings have expired', () => {
  for (const amount of [10, 10, 100]) {
    allowance.count('a', { amount });
    now += 10;
  }
  expect(allowance.wait('a')).toBe(50);
});

test('counts a spending as it changes, and leaves one out for whoever asks about the others', () => {
  const spending = { amount: 90 };
  allowance.count('a', spending);
  expect([allowance.wait('a'), allowance.spent('a')]).toEqual([0, 90]);
  spending.amount = 180;
  expect([allowance.wait('a'), allowance.wait('a', spending)]).toEqual([60, 0]);
  spending.amount = 0;
  expect([allowance.wait('a'), allowance.spent('a')]).toEqual([0, 0]);
});

test('removes keys whose spendings have expired', () => {
  for (let n = 0; n < 100; n++) allowance.count(`key ${n}`, { amount: 1 });
  expect(allowance.size).toBe(100);
  now += 60;
  for (let n = 0; n < 100; n++) allowance.count('other', { amount: 0 });
  expect(allowance.size).toBe(1);
});
