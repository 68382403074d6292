import { describe, expect, test } from 'vitest';
import { createBreaker } from '../../../lib/generators/breaker.ts';

const FAILED = new Error('failed');
const OTHER = new Error('other');
const REFUSED = new Error('refused');
const verdictOf = (error: unknown) =>
  error === FAILED ? {} : error === REFUSED ? ('works' as const) : ('unknown' as const);

function clocked() {
  const clock = { ms: 1_000_000 };
  const breaker = createBreaker(() => clock.ms);
  /** One call after the other, each of another account by default. */
  const fail = async (times = 1, accountOf = (n: number) => `account ${n}`) => {
    for (let n = 0; n < times; n += 1)
      await breaker.run(accountOf(n), () => Promise.reject(FAILED), verdictOf).catch(() => {});
  };
  const succeed = () => breaker.run('another', async () => 'ok', verdictOf);
  return { clock, breaker, fail, succeed };
}

describe('the circuit breaker', () => {
  test('opens after five failures in a row', async () => {
    const { breaker, fail } = clocked();
    await fail(4);
    expect(breaker.waitMs()).toBe(0);
    await fail();
    expect(breaker.waitMs()).toBe(15_000);
  });

  test('stays closed when the photos of one account fail, and opens when those of three do', async () => {
    const { breaker, fail } = clocked();
    await fail(20, () => 'a');
    expect(breaker.waitMs()).toBe(0);
    await fail(2, () => 'b');
    expect(breaker.waitMs()).toBe(0);
    await fail(1, () => 'c');
    expect(breaker.waitMs()).toBe(15_000);
  });

  test('lets an account probe that has not opened it, and is not kept open by one account', async () => {
    const { clock, breaker, fail, succeed } = clocked();
    await fail(5);
    clock.ms += 15_000;
    expect([breaker.waitMs('account 4'), breaker.waitMs('other')]).toEqual([15_000, 0]);
    await fail(1, () => 'other');
    expect([breaker.waitMs('other'), breaker.waitMs('account 4')]).toEqual([60_000, 30_000]);
    clock.ms += 60_000;
    expect(breaker.waitMs('other')).toBe(0);
    await succeed();
    expect(breaker.waitMs('other')).toBe(0);
  });

  test('learns nothing from calls that began before it opened', async () => {
    const { breaker, fail } = clocked();
    let end = () => {};
    const late = breaker
      .run('late', () => new Promise((_, reject) => (end = () => reject(FAILED))), verdictOf)
      .catch(() => {});
    await fail(5);
    end();
    await late;
    expect(breaker.waitMs()).toBe(15_000);
  });

  test('says how long the upstream has done nothing', async () => {
    const { clock, breaker, fail, succeed } = clocked();
    clock.ms += 1000;
    await fail();
    expect(breaker.idleMs()).toBe(1000);
    await succeed();
    expect(breaker.idleMs()).toBe(0);
  });

  test('counts anew after a success', async () => {
    const { breaker, fail, succeed } = clocked();
    await fail(4);
    await succeed();
    await fail(4);
    expect(breaker.waitMs()).toBe(0);
  });

  test('takes a refusal for a sign that the upstream works', async () => {
    const { clock, breaker, fail } = clocked();
    await fail(5);
    clock.ms += 15_000;
    await breaker.run('a', () => Promise.reject(REFUSED), verdictOf).catch(() => {});
    await fail(4);
    expect(breaker.waitMs()).toBe(0);
  });

  test('lets one probe pass after its time, and closes when the probe succeeds', async () => {
    const { clock, breaker, fail, succeed } = clocked();
    await fail(5);
    clock.ms += 15_000;
    expect(breaker.waitMs()).toBe(0);
    let end = () => {};
    const probe = breaker.run('a', () => new Promise<void>((resolve) => (end = resolve)), verdictOf);
    expect(breaker.waitMs()).toBeGreaterThan(0);
    end();
    await probe;
    await succeed();
    expect(breaker.waitMs()).toBe(0);
  });

  test('stays open for twice as long after each failed probe, for 5 minutes at most', async () => {
    const { clock, breaker, fail } = clocked();
    await fail(5);
    const waits = [];
    for (const _ of Array.from({ length: 6 })) {
      clock.ms += breaker.waitMs();
      await fail();
      waits.push(breaker.waitMs());
    }
    expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
  });

  test('lets another call probe when the first one has taken a minute', async () => {
    const { clock, breaker, fail, succeed } = clocked();
    await fail(5);
    clock.ms += 15_000;
    let end = () => {};
    const stuck = breaker.run('a', () => new Promise<void>((resolve) => (end = resolve)), verdictOf);
    expect(breaker.waitMs()).toBe(60_000);
    clock.ms += 60_000;
    expect(breaker.waitMs()).toBe(0);
    await succeed();
    end();
    await stuck;
    expect(breaker.waitMs()).toBe(0);
  });

  test('lets the next call probe when a probe ended without saying anything about the upstream', async () => {
    const { clock, breaker, fail } = clocked();
    await fail(5);
    clock.ms += 15_000;
    await expect(breaker.run('a', () => Promise.reject(OTHER), verdictOf)).rejects.toBe(OTHER);
    expect(breaker.waitMs()).toBe(0);
  });

  test('waits as long as the upstream asks, for 5 minutes at most, and does not count it as a failure', async () => {
    const { clock, breaker, succeed } = clocked();
    const limited = (retryAfterMs: number) =>
      breaker
        .run(
          'a',
          () => Promise.reject(FAILED),
          () => ({ retryAfterMs }),
        )
        .catch(() => {});
    for (const _ of Array.from({ length: 6 })) await limited(2000);
    expect(breaker.waitMs()).toBe(2000);
    clock.ms += 2000;
    expect(breaker.waitMs()).toBe(0);
    await succeed();
    await limited(3_600_000);
    expect(breaker.waitMs()).toBe(300_000);
  });
});
