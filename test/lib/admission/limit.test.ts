import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createLimit,
  createSharedLimit,
  type Limit,
  LimitError,
  type Permit,
} from '../../../lib/admission/limit.ts';

/** A request with its outcome, once it has one. */
interface Request {
  permit?: Permit;
  error?: unknown;
  abort(reason?: unknown): Promise<void>;
}

/** Waits until the callbacks of settled promises have run. */
const flush = () => new Promise((resolve) => setImmediate(resolve));

async function request(limit: Limit, owner: string, amount: number): Promise<Request> {
  const controller = new AbortController();
  const result: Request = {
    async abort(reason) {
      controller.abort(reason);
      await flush();
    },
  };
  limit.acquire(owner, amount, controller.signal).then(
    (permit) => {
      result.permit = permit;
    },
    (error: unknown) => {
      result.error = error;
    },
  );
  await flush();
  return result;
}

async function release(...requests: Request[]): Promise<void> {
  for (const { permit } of requests) permit?.release();
  await flush();
}

const isGranted = ({ permit }: Request) => permit !== undefined;

describe('an amount', () => {
  test('is granted at once while it fits', async () => {
    const limit = createLimit({ total: 10, perOwner: 6 });
    const requests = [await request(limit, 'a', 6), await request(limit, 'b', 4)];
    expect(requests.map(isGranted)).toEqual([true, true]);
    expect([limit.held, limit.waiting]).toEqual([10, 0]);
  });

  test('over a limit is reduced to the limit', async () => {
    const limit = createLimit({ total: 10, perOwner: 6 });
    const first = await request(limit, 'a', 1);
    const huge = await request(limit, 'a', 1000);
    expect(isGranted(huge)).toBe(false);
    await release(first);
    expect(huge.permit?.amount).toBe(6);
    const wide = createLimit({ total: 10, perOwner: 100 });
    expect((await request(wide, 'a', 50)).permit?.amount).toBe(10);
  });

  test('can shrink but not grow, and is released once', async () => {
    const limit = createLimit({ total: 10, perOwner: 10 });
    const { permit } = await request(limit, 'a', 10);
    const next = await request(limit, 'b', 7);
    permit?.shrink(5);
    await flush();
    expect([limit.held, isGranted(next)]).toEqual([5, false]);
    permit?.shrink(9);
    permit?.shrink(3);
    await flush();
    expect([permit?.amount, limit.held, isGranted(next)]).toEqual([3, 10, true]);
    permit?.release();
    permit?.[Symbol.dispose]();
    permit?.shrink(0);
    expect([permit?.amount, limit.held]).toEqual([0, 7]);
  });

  test('must not be NaN or negative', async () => {
    const limit = createLimit({ total: 10, perOwner: 10 });
    expect((await request(limit, 'a', Number.NaN)).error).toBeInstanceOf(RangeError);
    expect((await request(limit, 'a', -1)).error).toBeInstanceOf(RangeError);
    expect(isGranted(await request(limit, 'a', 0))).toBe(true);
  });
});

describe('the order of requests', () => {
  test('of one owner is FIFO, even if a later request would fit', async () => {
    const limit = createLimit({ total: 100, perOwner: 10 });
    const first = await request(limit, 'a', 8);
    const large = await request(limit, 'a', 10);
    const small = await request(limit, 'a', 1);
    expect([large, small].map(isGranted)).toEqual([false, false]);
    await release(first);
    expect([large, small].map(isGranted)).toEqual([true, false]);
    await release(large);
    expect(isGranted(small)).toBe(true);
  });

  test('an owner at its limit does not block other owners', async () => {
    const limit = createLimit({ total: 10, perOwner: 6 });
    await request(limit, 'heavy', 6);
    const waiting = await request(limit, 'heavy', 1);
    expect([isGranted(waiting), isGranted(await request(limit, 'light', 4))]).toEqual([false, true]);
  });

  test('the owner that holds the least is first', async () => {
    const limit = createLimit({ total: 10, perOwner: 10 });
    const heavy = await request(limit, 'heavy', 5);
    const other = await request(limit, 'other', 5);
    const again = await request(limit, 'heavy', 5);
    const light = await request(limit, 'light', 5);
    await release(other);
    expect([again, light].map(isGranted)).toEqual([false, true]);
    await release(heavy);
    expect(isGranted(again)).toBe(true);
  });

  test('owners that hold the same amount are served FIFO', async () => {
    const limit = createLimit({ total: 1, perOwner: 1 });
    let last = await request(limit, 'first', 1);
    const waiting: Request[] = [];
    for (const owner of ['c', 'a', 'b']) waiting.push(await request(limit, owner, 1));
    for (const next of waiting) {
      await release(last);
      expect(waiting.filter(isGranted).at(-1)).toBe(next);
      last = next;
    }
  });

  test('smaller requests overtake a large one by no more than its amount', async () => {
    const limit = createLimit({ total: 100, perOwner: 60 });
    const holders = [await request(limit, 'x', 50), await request(limit, 'y', 40)];
    const large = await request(limit, 'large', 60);
    let overtaken = 0;
    for (let n = 0; n < 100; n++) {
      const small = await request(limit, `small-${n}`, 7);
      if (isGranted(small)) overtaken += 7;
      await release(small);
    }
    expect([overtaken, isGranted(large)]).toEqual([56, false]);
    await release(...holders);
    expect(isGranted(large)).toBe(true);
  });

  test('a stream of new owners does not starve one that holds an amount', async () => {
    const limit = createLimit({ total: 10, perOwner: 8 });
    await request(limit, 'steady', 4);
    let newest = await request(limit, 'new', 6);
    const waiting = await request(limit, 'steady', 4);
    let grants = 0;
    for (; !isGranted(waiting) && grants < 50; grants++) {
      const next = await request(limit, `new-${grants}`, 6);
      await release(newest);
      newest = next;
    }
    expect(grants).toBeLessThanOrEqual(3);
  });
});

describe('an aborted request', () => {
  test('leaves no trace, and its error says which limit it waited for', async () => {
    const limit = createLimit({ total: 10, perOwner: 6 });
    const heavy = await request(limit, 'heavy', 6);
    const overLimit = await request(limit, 'heavy', 1);
    const other = await request(limit, 'other', 4);
    const overTotal = await request(limit, 'late', 1);
    const reason = new Error('time is up');
    await overLimit.abort(reason);
    await overTotal.abort(reason);
    expect(overLimit.error).toBeInstanceOf(LimitError);
    expect(overLimit.error).toMatchObject({ obstacle: 'owner', cause: reason });
    expect(overTotal.error).toMatchObject({ obstacle: 'total', cause: reason });
    expect([limit.held, limit.waiting]).toEqual([10, 0]);
    await release(heavy, other);
    expect([limit.held, limit.waiting]).toEqual([0, 0]);
  });

  test('unblocks the requests behind it', async () => {
    const limit = createLimit({ total: 10, perOwner: 10 });
    await request(limit, 'a', 5);
    const large = await request(limit, 'b', 10);
    const behind = await request(limit, 'b', 5);
    expect(isGranted(behind)).toBe(false);
    await large.abort();
    expect(isGranted(behind)).toBe(true);
  });

  test('keeps its permit if it was granted before, and is rejected if the signal was already aborted', async () => {
    const limit = createLimit({ total: 10, perOwner: 10 });
    const granted = await request(limit, 'a', 5);
    await granted.abort();
    expect([granted.error, limit.held]).toEqual([undefined, 5]);
    const reason = new Error('aborted');
    await expect(limit.acquire('a', 1, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect([limit.held, limit.waiting]).toEqual([5, 0]);
  });
});

describe('a request that does not wait', () => {
  test('is granted only if the amount is free, and leaves no trace otherwise', () => {
    const limit = createLimit({ total: 10, perOwner: 6 });
    const first = limit.acquireNow('a', 6);
    expect([first?.amount, limit.acquireNow('a', 1), limit.acquireNow('b', 5)]).toEqual([
      6,
      undefined,
      undefined,
    ]);
    expect([limit.held, limit.heldBy('b'), limit.waiting]).toEqual([6, 0, 0]);
    expect(limit.acquireNow('b', 4)?.amount).toBe(4);
    expect(() => limit.acquireNow('a', -1)).toThrow(RangeError);
  });

  test('is granted after requests that wait for the same', async () => {
    const limit = createLimit({ total: 2, perOwner: 2 });
    const holder = limit.acquireNow('a', 2);
    const waiting = await request(limit, 'b', 2);
    holder?.shrink(1);
    expect(limit.acquireNow('c', 2)).toBeUndefined();
    holder?.release();
    await flush();
    expect([isGranted(waiting), limit.acquireNow('c', 1)]).toEqual([true, undefined]);
  });

  test('finds less of a limit with a reserve, the more others hold', () => {
    const limit = createLimit({ total: 100, perOwner: 100, reserved: 25 });
    const most = (owner: string) => {
      while (limit.acquireNow(owner, 1) !== undefined);
      return limit.heldBy(owner);
    };
    expect([most('a'), most('b'), most('c')]).toEqual([38, 19, 9]);
    for (let n = 0; n < 25; n += 1) expect(limit.acquireNow(`other-${n}`, 1)).toBeDefined();
  });
});

test('a shared limit keeps a quarter for the owners who come later', async () => {
  const limit = createSharedLimit(8);
  for (const _ of Array.from({ length: 8 })) await request(limit, 'a', 1);
  expect([limit.held, limit.waiting]).toEqual([6, 2]);
  const other = await request(limit, 'b', 1);
  expect([other.permit?.amount, limit.held]).toEqual([1, 7]);
});

test('no limit is exceeded, every request is answered, and in the end nothing is held', async () => {
  const step = fc.record({
    owner: fc.constantFrom('a', 'b', 'c', 'd'),
    amount: fc.integer({ min: 0, max: 12 }),
    action: fc.constantFrom('acquire', 'acquire', 'release', 'shrink', 'abort'),
    index: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const limit = createLimit({ total: 10, perOwner: 6 });
      const requests: (Request & { owner: string })[] = [];
      const heldBy = (owner?: string) =>
        requests.reduce((sum, { permit, owner: name }) => {
          const counts = owner === undefined || name === owner;
          return counts ? sum + (permit?.amount ?? 0) : sum;
        }, 0);
      for (const { owner, amount, action, index } of steps) {
        const chosen = requests[index % (requests.length || 1)];
        if (action === 'acquire')
          requests.push(Object.assign(await request(limit, owner, amount), { owner }));
        else if (action === 'abort') await chosen?.abort();
        else if (action === 'release') chosen?.permit?.release();
        else chosen?.permit?.shrink(amount);
        await flush();
        expect(heldBy()).toBe(limit.held);
        expect(limit.held).toBeLessThanOrEqual(10);
        for (const name of 'abcd') expect(heldBy(name)).toBeLessThanOrEqual(6);
      }
      for (let n = 0; n <= requests.length; n++) await release(...requests);
      expect(requests.every(({ permit, error }) => permit !== undefined || error !== undefined)).toBe(true);
      expect([limit.held, limit.waiting]).toEqual([0, 0]);
    }),
    { numRuns: 60 },
  );
});
