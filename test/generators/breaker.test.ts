import { describe, expect, it } from 'vitest';
import { createBreaker } from '../../generators/breaker.ts';

const FAILED = new Error('failed');
const OTHER = new Error('other');
const REFUSED = new Error('refused');
const verdictOf = (error: unknown) =>
  error === FAILED ? {} : error === REFUSED ? ('works' as const) : ('unknown' as const);

function clocked() {
  const clock = { ms: 1_000_000 };
  const breaker = createBreaker(() => clock.ms);
  const fail = (times = 1) =>
    Promise.allSettled(
      Array.from({ length: times }, () => breaker.run(() => Promise.reject(FAILED), verdictOf)),
    );
  const succeed = () => breaker.run(async () => 'ok', verdictOf);
  return { clock, breaker, fail, succeed };
}

describe('the circuit breaker', () => {
  it('opens after five failures in a row', async () => {
    const { breaker, fail } = clocked();
    await fail(4);
    expect(breaker.waitMs()).toBe(0);
    await fail();
    expect(breaker.waitMs()).toBe(15_000);
  });

  it('counts anew after a success', async () => {
    const { breaker, fail, succeed } = clocked();
    await fail(4);
    await succeed();
    await fail(4);
    expect(breaker.waitMs()).toBe(0);
  });

  it('takes a refusal for a sign that the upstream works', async () => {
    const { clock, breaker, fail } = clocked();
    await fail(5);
    clock.ms += 15_000;
    await breaker.run(() => Promise.reject(REFUSED), verdictOf).catch(() => {});
    await fail(4);
    expect(breaker.waitMs()).toBe(0);
  });

  it('lets one probe pass after its time, and closes when the probe succeeds', async () => {
    const { clock, breaker, fail, succeed } = clocked();
    await fail(5);
    clock.ms += 15_000;
    expect(breaker.waitMs()).toBe(0);
    let end = () => {};
    const probe = breaker.run(() => new Promise<void>((resolve) => (end = resolve)), verdictOf);
    expect(breaker.waitMs()).toBeGreaterThan(0);
    end();
    await probe;
    await succeed();
    expect(breaker.waitMs()).toBe(0);
  });

  it('stays open for twice as long after each failed probe, for 5 minutes at most', async () => {
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

  it('lets another call probe when the first one has taken a minute', async () => {
    const { clock, breaker, fail, succeed } = clocked();
    await fail(5);
    clock.ms += 15_000;
    let end = () => {};
    const stuck = breaker.run(() => new Promise<void>((resolve) => (end = resolve)), verdictOf);
    expect(breaker.waitMs()).toBe(60_000);
    clock.ms += 60_000;
    expect(breaker.waitMs()).toBe(0);
    await succeed();
    end();
    await stuck;
    expect(breaker.waitMs()).toBe(0);
  });

  it('lets the next call probe when a probe ended without saying anything about the upstream', async () => {
    const { clock, breaker, fail } = clocked();
    await fail(5);
    clock.ms += 15_000;
    await expect(breaker.run(() => Promise.reject(OTHER), verdictOf)).rejects.toBe(OTHER);
    expect(breaker.waitMs()).toBe(0);
  });

  it('waits as long as the upstream asks, for 5 minutes at most, and does not count it as a failure', async () => {
    const { clock, breaker, succeed } = clocked();
    const limited = (retryAfterMs: number) =>
      breaker
        .run(
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
