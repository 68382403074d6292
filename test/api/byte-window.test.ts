import { beforeEach, expect, test } from 'vitest';
import { type ByteWindow, createByteWindow } from '../../api/admission/byte-window.ts';

let now: number;
let window: ByteWindow;

beforeEach(() => {
  now = 1000;
  window = createByteWindow({ limit: 100, windowMs: 60, now: () => now });
});

test('counts the bytes within the window', () => {
  window.count('a', { amount: 60 });
  now += 10;
  expect(window.wait('a')).toBe(0);
  window.count('a', { amount: 40 });
  expect([window.wait('a'), window.wait('b')]).toEqual([50, 0]);
  now += 50;
  expect(window.wait('a')).toBe(0);
});

test('waits until enough bytes have expired', () => {
  for (const amount of [10, 10, 100]) {
    window.count('a', { amount });
    now += 10;
  }
  expect(window.wait('a')).toBe(50);
});

test('counts bytes as they change, and leaves one out for whoever asks about the others', () => {
  const bytes = { amount: 90 };
  window.count('a', bytes);
  expect([window.wait('a'), window.counted('a')]).toEqual([0, 90]);
  bytes.amount = 180;
  expect([window.wait('a'), window.wait('a', bytes)]).toEqual([60, 0]);
  bytes.amount = 0;
  expect([window.wait('a'), window.counted('a')]).toEqual([0, 0]);
});

test('removes keys whose bytes have expired', () => {
  for (let n = 0; n < 100; n++) window.count(`key ${n}`, { amount: 1 });
  expect(window.size).toBe(100);
  now += 60;
  for (let n = 0; n < 100; n++) window.count('other', { amount: 0 });
  expect(window.size).toBe(1);
});
