import { describe, expect, test } from 'vitest';
import { createLimit } from '../../../lib/admission/limit.ts';
import type { CallLog } from '../../../lib/domain/generator-call.ts';
import { createBreaker } from '../../../lib/generators/breaker.ts';
import { GeneratorError, NotSent } from '../../../lib/generators/errors.ts';
import { type FailoverDeps, renderWithFailover } from '../../../lib/generators/failover.ts';
import type { CurrentCall } from '../../../lib/generators/recorded-call.ts';
import { ATTEMPT, beginCall, fakeCallLog, unusedUpstream } from './fake-calls.ts';

const used = (key: string) => ({
  result: { bucket: 'results', key } as const,
  costUsd: null,
  edgeRecall: null,
});
const gemini = unusedUpstream('gemini');
const ALIVE = { beatMs: 5, silentMs: 60_000 };

/** One attempt of a job. @param upstream what the use of a generator does */
const attempt = (
  log: CallLog,
  upstream: (call: CurrentCall) => Promise<ReturnType<typeof used>>,
  changes: Partial<FailoverDeps> = {},
) => {
  const breaker = createBreaker();
  const deps = { ...ATTEMPT, candidates: [gemini], log, find: () => gemini, breakerOf: () => breaker };
  const local = () => Promise.reject(new Error('unused'));
  return renderWithFailover({ ...deps, ...changes }, { local, upstream: (_, call) => upstream(call) });
};
const waits = { failure: { kind: 'unavailable', waits: true } };

describe('two attempts of one job', () => {
  test('that both listed no calls begin one call, and the later one waits for it', async () => {
    const log = fakeCallLog();
    let submissions = 0;
    let finish = () => {};
    const first = attempt(
      log,
      async ({ begin }) => {
        await begin();
        submissions += 1;
        await new Promise<void>((resolve) => (finish = resolve));
        return used('first');
      },
      { liveness: ALIVE },
    );
    await expect.poll(() => submissions).toBe(1);
    let lists = 0;
    const late: CallLog = {
      ...log,
      // What the late attempt listed before the first one began.
      list: async () => (lists++ === 0 ? [] : log.list()),
    };
    const second = async ({ begin }: CurrentCall) => {
      await begin();
      submissions += 1;
      return used('second');
    };
    await expect(attempt(late, second, { liveness: ALIVE })).rejects.toMatchObject(waits);
    expect(submissions).toBe(1);
    finish();
    expect(await first).toEqual(used('first').result);
    expect(await attempt(log, second)).toEqual(used('first').result);
    expect(submissions).toBe(1);
  });

  test('never submit again after the first has completed the job', async () => {
    const log = fakeCallLog();
    let submissions = 0;
    const late: CallLog = { ...log, list: async () => [] };
    log.endJob();
    const error = await attempt(late, async ({ begin }) => {
      await begin();
      submissions += 1;
      return used('late');
    }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ failure: { kind: 'exhausted' } });
    expect(submissions).toBe(0);
    expect(await log.list()).toEqual([]);
  });

  test.each([
    ['is final in the second, too', false, 0],
    ['makes the second ask the next generator, if the operator wants that', true, 1],
  ])('of which the first died after a refusal that was paid for: it %s', async (_what, onRefused, calls) => {
    const log = fakeCallLog();
    const refused = await beginCall(log, { generator: 'gemini', model: 'm', mayBeCharged: true });
    await log.update(refused, { outcome: 'refused', reason: 'safety', error: 'The image was refused.' });
    let submissions = 0;
    const second = async ({ begin }: CurrentCall) => {
      await begin();
      submissions += 1;
      return used('second');
    };
    const changes = { onRefused, candidates: [gemini, unusedUpstream('openai')], mayHaveCalls: true };
    const end = await attempt(log, second, changes).catch((error: unknown) => error);
    if (calls === 0) expect(end).toMatchObject({ failure: { kind: 'refused', reason: 'safety' } });
    else expect(end).toEqual(used('second').result);
    expect(submissions).toBe(calls);
  });

  test('use the result of a call that was taken for lost and has come back before the next one begins', async () => {
    const log = fakeCallLog();
    const silent = await beginCall(log, { generator: 'gemini', model: 'm', mayBeCharged: true });
    let submissions = 0;
    const result = await attempt(log, async ({ begin }) => {
      // The process of the first call stood still, and goes on while this attempt prepares the
      // image.
      await log.update(silent, { ...used('first'), outcome: 'completed' });
      await begin();
      submissions += 1;
      return used('second');
    });
    expect(result).toEqual(used('first').result);
    expect(submissions).toBe(0);
  });

  test('of which the first is no longer wanted begin no call in it', async () => {
    const log = fakeCallLog();
    const superseded = new AbortController();
    const reason = new Error('The heartbeat timed out.');
    const error = await attempt(
      log,
      async ({ begin }) => {
        superseded.abort(reason);
        await begin();
        return used('never');
      },
      { signal: superseded.signal },
    ).catch((caught: unknown) => caught);
    expect(error).toBe(reason);
    expect(await log.list()).toEqual([]);
  });
});

describe('a renderer that is told to end', () => {
  const draining = AbortSignal.abort();
  const begins = async ({ begin }: CurrentCall) => {
    await begin();
    return used('late');
  };

  test('begins no call that another process could not resume', async () => {
    const log = fakeCallLog();
    await expect(attempt(log, begins, { draining })).rejects.toMatchObject(waits);
    expect(await log.list()).toEqual([]);
  });

  test('still submits a task', async () => {
    const bfl = unusedUpstream('bfl', { tasks: {} });
    expect(await attempt(fakeCallLog(), begins, { draining, candidates: [bfl] })).toMatchObject({
      key: 'late',
    });
  });
});

describe('a call in progress', () => {
  test('says that its process is alive, and learns that its job has ended', async () => {
    const log = fakeCallLog();
    let beats = 0;
    const beat = (id: string) => {
      beats += 1;
      if (beats === 3) log.endJob();
      return log.beat(id);
    };
    const error = await attempt(
      { ...log, beat },
      async ({ begin, ended }) => {
        await begin();
        return new Promise((_, reject) => ended.addEventListener('abort', () => reject(ended.reason)));
      },
      { liveness: ALIVE },
    ).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ failure: { kind: 'exhausted' } });
    expect(beats).toBe(3);
    expect(await log.list()).toMatchObject([{ outcome: 'cancelled', mayBeCharged: true }]);
  });

  test('goes on after another attempt has taken it for lost, and its result is used', async () => {
    const log = fakeCallLog();
    let beats = 0;
    const beat = (id: string) => {
      beats += 1;
      return log.beat(id);
    };
    const result = await attempt(
      { ...log, beat },
      async ({ begin, ended }) => {
        await begin();
        // The process stood still. Another attempt has made a call of its own meanwhile.
        const [own] = await log.list();
        await log.update(own?.id ?? '', { task: null, outcome: 'lost' });
        await beginCall(log, { generator: 'gemini', model: 'm', mayBeCharged: true });
        await expect.poll(() => beats).toBeGreaterThan(2);
        ended.throwIfAborted();
        return used('first');
      },
      { liveness: ALIVE },
    );
    expect(result).toEqual(used('first').result);
    expect(await log.list()).toMatchObject([
      { outcome: 'completed', result: used('first').result },
      { outcome: null },
    ]);
  });

  test('whose task runs is not resumed again once its job has ended', async () => {
    const log = fakeCallLog();
    const id = await beginCall(log, { generator: 'gemini', model: 'm', mayBeCharged: true });
    await log.update(id, { task: { id: 't1' } });
    log.endJob();
    let resumed = 0;
    const error = await attempt(
      log,
      ({ ended }) => {
        resumed += 1;
        return new Promise((_, reject) => ended.addEventListener('abort', () => reject(ended.reason)));
      },
      { liveness: ALIVE },
    ).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ failure: { kind: 'exhausted' } });
    expect(resumed).toBe(1);
    expect(await log.list()).toMatchObject([{ outcome: null }]);
  });

  test('goes on while MongoDB cannot be told that it lives', async () => {
    let beats = 0;
    const beat = async () => {
      beats += 1;
      throw new Error('MongoDB is away');
    };
    const result = await attempt(
      { ...fakeCallLog(), beat },
      async ({ begin }) => {
        await begin();
        await expect.poll(() => beats).toBeGreaterThan(2);
        return used('late');
      },
      { liveness: ALIVE },
    );
    expect(result.key).toBe('late');
  });
});

describe('a call that was never sent is not one that may be charged', () => {
  test('when the response of the store to its record was lost', async () => {
    const log = fakeCallLog();
    const begin: CallLog['begin'] = async (...call) => {
      await log.begin(...call);
      throw new Error('The connection closed.');
    };
    const error = await attempt({ ...log, begin }, async (call) => {
      await call.begin();
      return used('never');
    }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: 'The connection closed.' });
    expect(await log.list()).toMatchObject([{ outcome: 'cancelled', mayBeCharged: false }]);
  });

  test('when it was given up before its request left', async () => {
    const log = fakeCallLog();
    const reason = new Error('cancelled');
    const error = await attempt(log, async ({ begin }) => {
      await begin();
      throw new NotSent(reason);
    }).catch((caught: unknown) => caught);
    expect(error).toBe(reason);
    expect(await log.list()).toMatchObject([{ outcome: 'cancelled', mayBeCharged: false }]);
  });
});

describe('an upstream that asks to wait', () => {
  const limited = new GeneratorError({ kind: 'unavailable', retryAfterMs: 20_000 }, 'rate limit');
  const refuse = async ({ begin }: CurrentCall) => {
    await begin();
    throw limited;
  };

  test('only makes the job wait while it completes calls of others, however often it says so', async () => {
    const log = fakeCallLog();
    for (let n = 0; n < 100; n += 1) await expect(attempt(log, refuse)).rejects.toMatchObject(waits);
    expect(await log.list()).toMatchObject([{ outcome: 'unavailable', earlierFailures: 99 }]);
  });

  test('is unavailable once it has done nothing for as long as a job may wait', async () => {
    let now = 0;
    const breaker = createBreaker(() => now);
    const run = () => attempt(fakeCallLog(), refuse, { breakerOf: () => breaker });
    await expect(run()).rejects.toMatchObject(waits);
    now += ATTEMPT.unavailableMs;
    await expect(run()).rejects.toMatchObject({ failure: { kind: 'unavailable', retryAfterMs: 20_000 } });
    const paused = await run().catch((reason: unknown) => reason);
    expect(paused).not.toMatchObject(waits);
    expect(String(paused)).toContain('gemini is not asked for another 20 s.');
  });

  test('is asked again for the accounts in turn', async () => {
    const breaker = createBreaker();
    const places = createLimit({ total: 1, perOwner: 1 });
    const order: string[] = [];
    const ask = (accountId: string) =>
      attempt(
        fakeCallLog(),
        async ({ begin }) => {
          await begin();
          order.push(accountId);
          await expect.poll(() => places.waiting + order.length).toBe(5);
          // The first one is told to wait, and all others with it.
          if (order.length === 1) throw new GeneratorError({ kind: 'unavailable', retryAfterMs: 50 }, 'wait');
          return used(accountId);
        },
        { accountId, breakerOf: () => breaker, limitOf: () => places },
      ).catch(() => {});
    await Promise.all(['a', 'a', 'a', 'a', 'b'].map(ask));
    expect(order.indexOf('b')).toBeLessThan(3);
    expect(order).toHaveLength(5);
  });
});

describe('a task that fails while it runs', () => {
  const free = unusedUpstream('comfyui', { charges: false });

  test('ends the job after three, and somebody is alarmed', async () => {
    const log = fakeCallLog();
    const alarms: string[] = [];
    let submissions = 0;
    const run = () =>
      attempt(
        log,
        async ({ begin, onSubmitted }) => {
          await begin();
          submissions += 1;
          await onSubmitted({ id: `t${submissions}` });
          throw new GeneratorError({ kind: 'unavailable' }, 'OutOfMemoryError', {
            mayBeCharged: true,
            upstreamWorks: true,
          });
        },
        { candidates: [free], find: () => free, alarm: (name) => alarms.push(name) },
      ).catch((error: GeneratorError) => error.failure.kind);
    expect([await run(), await run(), await run()]).toEqual(['unavailable', 'unavailable', 'exhausted']);
    expect(await run()).toBe('exhausted');
    expect(submissions).toBe(3);
    expect(alarms).toEqual(['comfyui', 'comfyui']);
    expect((await log.list()).map(({ mayBeCharged }) => mayBeCharged)).toEqual([false, false, false]);
  });
});

test('calls of earlier attempts that died are ended after nobody was heard', async () => {
  const log = fakeCallLog();
  await beginCall(log, { generator: 'gemini', model: 'm', mayBeCharged: true });
  await attempt(log, async ({ begin }) => {
    await begin();
    return used('second');
  });
  expect(await log.list()).toMatchObject([{ outcome: 'lost' }, { outcome: 'completed' }]);
});
