import { beforeEach, expect, test } from 'vitest';
import { type Allowance, createAllowance } from '../../api/allowance.ts';

let now: number;
let allowance: Allowance;

beforeEach(() => {
  now = 1000;
  allowance = createAllowance({ limit: 100, windowMs: 60, now: () => now });
});

test('is used up by what was spent within the window, and comes back as that leaves', () => {
  allowance.spend('a').add(60);
  now += 10;
  expect(allowance.wait('a')).toBe(0);
  allowance.spend('a').add(40);
  expect([allowance.wait('a'), allowance.wait('b')]).toEqual([50, 0]);
  now += 50;
  expect(allowance.wait('a')).toBe(0);
});

test('waits for as many spendings to leave as it takes', () => {
  for (const amount of [10, 10, 100]) {
    allowance.spend('a').add(amount);
    now += 10;
  }
  expect(allowance.wait('a')).toBe(50);
});

test('takes back what was given back', () => {
  const spending = allowance.spend('a');
  spending.add(90);
  spending.add(90);
  expect(allowance.wait('a')).toBe(60);
  spending.giveBack();
  expect(allowance.wait('a')).toBe(0);
});

test('forgets keys whose spendings have left', () => {
  for (let n = 0; n < 100; n++) allowance.spend(`key ${n}`).add(1);
  expect(allowance.size).toBe(100);
  now += 60;
  for (let n = 0; n < 100; n++) allowance.spend('one');
  expect(allowance.size).toBe(1);
});
