import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Budget,
  BudgetError,
  createBudget,
  createSharedBudget,
  type Lease,
} from '../../../lib/admission/budget.ts';

/** A request with its outcome, once it has one. */
interface Request {
  lease?: Lease;
  error?: unknown;
  abort(reason?: unknown): Promise<void>;
}

/** Waits until the callbacks of settled promises have run. */
const flush = () => new Promise((resolve) => setImmediate(resolve));

async function request(budget: Budget, owner: string, amount: number): Promise<Request> {
  const controller = new AbortController();
  const result: Request = {
    async abort(reason) {
      controller.abort(reason);
      await flush();
    },
  };
  budget.acquire(owner, amount, controller.signal).then(
    (lease) => {
      result.lease = lease;
    },
    (error: unknown) => {
      result.error = error;
    },
  );
  await flush();
  return result;
}

async function release(...requests: Request[]): Promise<void> {
  for (const { lease } of requests) lease?.release();
  await flush();
}

const isGranted = ({ lease }: Request) => lease !== undefined;

describe('an amount', () => {
  test('is granted at once while it fits', async () => {
    const budget = createBudget({ total: 10, perOwner: 6 });
    const requests = [await request(budget, 'a', 6), await request(budget, 'b', 4)];
    expect(requests.map(isGranted)).toEqual([true, true]);
    expect([budget.held, budget.waiting]).toEqual([10, 0]);
  });

  test('over a limit is reduced to the limit', async () => {
    const budget = createBudget({ total: 10, perOwner: 6 });
    const first = await request(budget, 'a', 1);
    const huge = await request(budget, 'a', 1000);
    expect(isGranted(huge)).toBe(false);
    await release(first);
    expect(huge.lease?.amount).toBe(6);
    const wide = createBudget({ total: 10, perOwner: 100 });
    expect((await request(wide, 'a', 50)).lease?.amount).toBe(10);
  });

  test('can shrink but not grow, and is released once', async () => {
    const budget = createBudget({ total: 10, perOwner: 10 });
    const { lease } = await request(budget, 'a', 10);
    const next = await request(budget, 'b', 7);
    lease?.shrink(5);
    await flush();
    expect([budget.held, isGranted(next)]).toEqual([5, false]);
    lease?.shrink(9);
    lease?.shrink(3);
    await flush();
    expect([lease?.amount, budget.held, isGranted(next)]).toEqual([3, 10, true]);
    lease?.release();
    lease?.[Symbol.dispose]();
    lease?.shrink(0);
    expect([lease?.amount, budget.held]).toEqual([0, 7]);
  });

  test('must not be NaN or negative', async () => {
    const budget = createBudget({ total: 10, perOwner: 10 });
    expect((await request(budget, 'a', Number.NaN)).error).toBeInstanceOf(RangeError);
    expect((await request(budget, 'a', -1)).error).toBeInstanceOf(RangeError);
    expect(isGranted(await request(budget, 'a', 0))).toBe(true);
  });
});

describe('the order of requests', () => {
  test('of one owner is FIFO, even if a later request would fit', async () => {
    const budget = createBudget({ total: 100, perOwner: 10 });
    const first = await request(budget, 'a', 8);
    const large = await request(budget, 'a', 10);
    const small = await request(budget, 'a', 1);
    expect([large, small].map(isGranted)).toEqual([false, false]);
    await release(first);
    expect([large, small].map(isGranted)).toEqual([true, false]);
    await release(large);
    expect(isGranted(small)).toBe(true);
  });

  test('an owner at its limit does not block other owners', async () => {
    const budget = createBudget({ total: 10, perOwner: 6 });
    await request(budget, 'heavy', 6);
    const waiting = await request(budget, 'heavy', 1);
    expect([isGranted(waiting), isGranted(await request(budget, 'light', 4))]).toEqual([false, true]);
  });

  test('the owner that holds the least is first', async () => {
    const budget = createBudget({ total: 10, perOwner: 10 });
    const heavy = await request(budget, 'heavy', 5);
    const other = await request(budget, 'other', 5);
    const again = await request(budget, 'heavy', 5);
    const light = await request(budget, 'light', 5);
    await release(other);
    expect([again, light].map(isGranted)).toEqual([false, true]);
    await release(heavy);
    expect(isGranted(again)).toBe(true);
  });

  test('owners that hold the same amount are served FIFO', async () => {
    const budget = createBudget({ total: 1, perOwner: 1 });
    let last = await request(budget, 'first', 1);
    const waiting: Request[] = [];
    for (const owner of ['c', 'a', 'b']) waiting.push(await request(budget, owner, 1));
    for (const next of waiting) {
      await release(last);
      expect(waiting.filter(isGranted).at(-1)).toBe(next);
      last = next;
    }
  });

  test('smaller requests overtake a large one by no more than its amount', async () => {
    const budget = createBudget({ total: 100, perOwner: 60 });
    const holders = [await request(budget, 'x', 50), await request(budget, 'y', 40)];
    const large = await request(budget, 'large', 60);
    let overtaken = 0;
    for (let n = 0; n < 100; n++) {
      const small = await request(budget, `small-${n}`, 7);
      if (isGranted(small)) overtaken += 7;
      await release(small);
    }
    expect([overtaken, isGranted(large)]).toEqual([56, false]);
    await release(...holders);
    expect(isGranted(large)).toBe(true);
  });

  test('a stream of new owners does not starve one that holds an amount', async () => {
    const budget = createBudget({ total: 10, perOwner: 8 });
    await request(budget, 'steady', 4);
    let newest = await request(budget, 'new', 6);
    const waiting = await request(budget, 'steady', 4);
    let grants = 0;
    for (; !isGranted(waiting) && grants < 50; grants++) {
      const next = await request(budget, `new-${grants}`, 6);
      await release(newest);
      newest = next;
    }
    expect(grants).toBeLessThanOrEqual(3);
  });
});

describe('an aborted request', () => {
  test('leaves no trace, and its error says which limit it waited for', async () => {
    const budget = createBudget({ total: 10, perOwner: 6 });
    const heavy = await request(budget, 'heavy', 6);
    const overLimit = await request(budget, 'heavy', 1);
    const other = await request(budget, 'other', 4);
    const overTotal = await request(budget, 'late', 1);
    const reason = new Error('time is up');
    await overLimit.abort(reason);
    await overTotal.abort(reason);
    expect(overLimit.error).toBeInstanceOf(BudgetError);
    expect(overLimit.error).toMatchObject({ obstacle: 'owner', cause: reason });
    expect(overTotal.error).toMatchObject({ obstacle: 'total', cause: reason });
    expect([budget.held, budget.waiting]).toEqual([10, 0]);
    await release(heavy, other);
    expect([budget.held, budget.waiting]).toEqual([0, 0]);
  });

  test('unblocks the requests behind it', async () => {
    const budget = createBudget({ total: 10, perOwner: 10 });
    await request(budget, 'a', 5);
    const large = await request(budget, 'b', 10);
    const behind = await request(budget, 'b', 5);
    expect(isGranted(behind)).toBe(false);
    await large.abort();
    expect(isGranted(behind)).toBe(true);
  });

  test('keeps its lease if it was granted before, and is rejected if the signal was already aborted', async () => {
    const budget = createBudget({ total: 10, perOwner: 10 });
    const granted = await request(budget, 'a', 5);
    await granted.abort();
    expect([granted.error, budget.held]).toEqual([undefined, 5]);
    const reason = new Error('aborted');
    await expect(budget.acquire('a', 1, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect([budget.held, budget.waiting]).toEqual([5, 0]);
  });
});

test('a shared budget keeps a quarter for the owners who come later', async () => {
  const budget = createSharedBudget(8);
  for (const _ of Array.from({ length: 8 })) await request(budget, 'a', 1);
  expect([budget.held, budget.waiting]).toEqual([6, 2]);
  const other = await request(budget, 'b', 1);
  expect([other.lease?.amount, budget.held]).toEqual([1, 7]);
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
      const budget = createBudget({ total: 10, perOwner: 6 });
      const requests: (Request & { owner: string })[] = [];
      const heldBy = (owner?: string) =>
        requests.reduce((sum, { lease, owner: name }) => {
          const counts = owner === undefined || name === owner;
          return counts ? sum + (lease?.amount ?? 0) : sum;
        }, 0);
      for (const { owner, amount, action, index } of steps) {
        const chosen = requests[index % (requests.length || 1)];
        if (action === 'acquire')
          requests.push(Object.assign(await request(budget, owner, amount), { owner }));
        else if (action === 'abort') await chosen?.abort();
        else if (action === 'release') chosen?.lease?.release();
        else chosen?.lease?.shrink(amount);
        await flush();
        expect(heldBy()).toBe(budget.held);
        expect(budget.held).toBeLessThanOrEqual(10);
        for (const name of 'abcd') expect(heldBy(name)).toBeLessThanOrEqual(6);
      }
      for (let n = 0; n <= requests.length; n++) await release(...requests);
      expect(requests.every(({ lease, error }) => lease !== undefined || error !== undefined)).toBe(true);
      expect([budget.held, budget.waiting]).toEqual([0, 0]);
    }),
    { numRuns: 60 },
  );
});
