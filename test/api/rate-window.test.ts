import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSlidingWindow } from '../../api/http/rate-window.ts';

/** A window of 3 requests in 10 s, and its clock in ms. */
function setup(options: { limit?: number; maxKeys?: number } = {}) {
  const clock = { now: 1000 };
  const window = createSlidingWindow({
    limit: 3,
    windowMs: 10_000,
    maxKeys: 100,
    now: () => clock.now,
    ...options,
  });
  return { clock, window };
}

describe('one key', () => {
  test('counts down, rejects, and returns when the next request is allowed', () => {
    const { clock, window } = setup();
    expect(window.hit('a')).toEqual({ allowed: true, limit: 3, remaining: 2, resetSeconds: 10 });
    clock.now += 4000;
    expect(window.hit('a')).toEqual({ allowed: true, limit: 3, remaining: 1, resetSeconds: 6 });
    expect(window.hit('a')).toMatchObject({ allowed: true, remaining: 0 });
    expect(window.hit('a')).toMatchObject({ allowed: false, limit: 3, remaining: 0, resetSeconds: 6 });
    clock.now += 5999;
    expect(window.hit('a')).toMatchObject({ allowed: false, resetSeconds: 1 });
    clock.now += 1;
    expect(window.hit('a')).toMatchObject({ allowed: true, remaining: 0, resetSeconds: 4 });
    expect(window.hit('a')).toMatchObject({ allowed: false });
  });

  test('has no fixed minutes: a burst across the turn of a minute is one burst', () => {
    const { clock, window } = setup();
    clock.now = 59_900;
    for (let n = 0; n < 3; n++) expect(window.hit('a').allowed).toBe(true);
    clock.now = 60_100;
    expect(window.hit('a').allowed).toBe(false);
  });

  test('does not count rejected requests', () => {
    const { clock, window } = setup();
    for (let n = 0; n < 3; n++) window.hit('a');
    for (let n = 0; n < 99; n++) {
      clock.now += 100;
      expect(window.hit('a').allowed).toBe(false);
    }
    clock.now += 100;
    expect(window.hit('a').allowed).toBe(true);
  });

  test('reports one rejection in each window, with the number of those since the last one', () => {
    const { clock, window } = setup();
    const rejection = () => window.hit('a').rejection;
    for (let n = 0; n < 3; n++) expect(rejection()).toBeUndefined();
    clock.now += 5000;
    expect(rejection()).toEqual({ report: true, unreported: 0 });
    for (let n = 0; n < 4; n++) expect(rejection()?.report).toBe(false);
    clock.now += 5000;
    for (let n = 0; n < 3; n++) expect(rejection()).toBeUndefined();
    expect(rejection()?.report).toBe(false);
    clock.now += 5000;
    expect(rejection()).toEqual({ report: true, unreported: 5 });
  });

  test('keeps its requests when the clock goes back', () => {
    const { clock, window } = setup();
    for (let n = 0; n < 3; n++) window.hit('a');
    clock.now = 0;
    expect(window.hit('a').allowed).toBe(false);
  });
});

test('several keys at any pace are counted like in a naive log', () => {
  const steps = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), wait: fc.nat(4000) }), {
    maxLength: 150,
  });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 9 }), (sequence, limit) => {
      const { clock, window } = setup({ limit });
      const model = new Map<string, number[]>();
      for (const { key, wait } of sequence) {
        clock.now += wait;
        const recent = (model.get(key) ?? []).filter((moment) => moment > clock.now - 10_000);
        const allowed = recent.length < limit;
        if (allowed) recent.push(clock.now);
        model.set(key, recent);
        expect(window.hit(key)).toMatchObject({
          allowed,
          limit,
          remaining: limit - recent.length,
          resetSeconds: Math.max(1, Math.ceil(((recent[0] ?? 0) + 10_000 - clock.now) / 1000)),
        });
      }
    }),
    { numRuns: 300 },
  );
});

describe('memory', () => {
  test('is bounded under a flood of keys, and each new key is allowed', () => {
    const { clock, window } = setup({ maxKeys: 500 });
    for (let n = 0; n < 20_000; n++) {
      if (n % 10 === 0) clock.now += 1;
      expect(window.hit(`key ${n}`).allowed).toBe(true);
      if (window.size > 500) throw new Error(`${window.size} keys`);
    }
    expect(window.size).toBe(500);
  });

  test('is freed by keys whose requests have expired', () => {
    const { clock, window } = setup({ maxKeys: 500 });
    for (let n = 0; n < 400; n++) window.hit(`old ${n}`);
    clock.now += 10_000;
    for (let n = 0; n < 400; n++) window.hit(`new ${n}`);
    expect(window.size).toBeLessThanOrEqual(400);
    for (let n = 0; n < 400; n++) expect(window.hit(`new ${n}`).remaining).toBe(1);
  });

  test('is not taken from a heavy user by a flood of new keys', () => {
    const { window } = setup({ maxKeys: 200 });
    const heavy = Array.from({ length: 10 }, (_, n) => `heavy ${n}`);
    for (const key of heavy) for (let n = 0; n < 3; n++) window.hit(key);
    for (let n = 0; n < 20_000; n++) window.hit(`flood ${n}`);
    for (const key of heavy) expect(window.hit(key).allowed).toBe(false);
  });
});
