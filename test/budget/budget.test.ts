import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Budget, BudgetError, createBudget, type Lease } from '../../budget.ts';

/** A request under test: what it was granted, or why it gave up. */
interface Request {
  lease?: Lease;
  error?: unknown;
  abort(reason?: unknown): Promise<void>;
}

/** Lets every promise that is settled be heard. */
const heard = () => new Promise((resolve) => setImmediate(resolve));

async function ask(budget: Budget, owner: string, amount: number): Promise<Request> {
  const controller = new AbortController();
  const request: Request = {
    async abort(reason) {
      controller.abort(reason);
      await heard();
    },
  };
  budget.acquire(owner, amount, controller.signal).then(
    (lease) => {
      request.lease = lease;
    },
    (error: unknown) => {
      request.error = error;
    },
  );
  await heard();
  return request;
}

async function release(...requests: Request[]): Promise<void> {
  for (const { lease } of requests) lease?.release();
  await heard();
}

const isGranted = ({ lease }: Request) => lease !== undefined;

describe('an amount', () => {
  test('is granted at once while it fits', async () => {
    const budget = createBudget({ total: 10, perOwner: 6 });
    const requests = [await ask(budget, 'a', 6), await ask(budget, 'b', 4)];
    expect(requests.map(isGranted)).toEqual([true, true]);
    expect([budget.held, budget.waiting]).toEqual([10, 0]);
  });

  test('over a limit is granted alone', async () => {
    const budget = createBudget({ total: 10, perOwner: 6 });
    const first = await ask(budget, 'a', 1);
    const huge = await ask(budget, 'a', 1000);
    expect(isGranted(huge)).toBe(false);
    await release(first);
    expect(huge.lease?.amount).toBe(6);
    const wide = createBudget({ total: 10, perOwner: 100 });
    expect((await ask(wide, 'a', 50)).lease?.amount).toBe(10);
  });

  test('can shrink, never grow, and is released once', async () => {
    const budget = createBudget({ total: 10, perOwner: 10 });
    const { lease } = await ask(budget, 'a', 10);
    const next = await ask(budget, 'b', 7);
    lease?.shrink(5);
    await heard();
    expect([budget.held, isGranted(next)]).toEqual([5, false]);
    lease?.shrink(9);
    lease?.shrink(3);
    await heard();
    expect([lease?.amount, budget.held, isGranted(next)]).toEqual([3, 10, true]);
    lease?.release();
    lease?.[Symbol.dispose]();
    lease?.shrink(0);
    expect([lease?.amount, budget.held]).toEqual([0, 7]);
  });

  test('must be a number that is not negative', async () => {
    const budget = createBudget({ total: 10, perOwner: 10 });
    expect((await ask(budget, 'a', Number.NaN)).error).toBeInstanceOf(RangeError);
    expect((await ask(budget, 'a', -1)).error).toBeInstanceOf(RangeError);
    expect(isGranted(await ask(budget, 'a', 0))).toBe(true);
  });
});

describe('turns', () => {
  test('of one owner go in the order of asking, although a later request would fit', async () => {
    const budget = createBudget({ total: 100, perOwner: 10 });
    const first = await ask(budget, 'a', 8);
    const large = await ask(budget, 'a', 10);
    const small = await ask(budget, 'a', 1);
    expect([large, small].map(isGranted)).toEqual([false, false]);
    await release(first);
    expect([large, small].map(isGranted)).toEqual([true, false]);
    await release(large);
    expect(isGranted(small)).toBe(true);
  });

  test('an owner whose share is used up holds up nobody', async () => {
    const budget = createBudget({ total: 10, perOwner: 6 });
    await ask(budget, 'heavy', 6);
    const more = await ask(budget, 'heavy', 1);
    expect([isGranted(more), isGranted(await ask(budget, 'light', 4))]).toEqual([false, true]);
  });

  test('whoever holds least goes first', async () => {
    const budget = createBudget({ total: 10, perOwner: 10 });
    const heavy = await ask(budget, 'heavy', 5);
    const other = await ask(budget, 'other', 5);
    const again = await ask(budget, 'heavy', 5);
    const light = await ask(budget, 'light', 5);
    await release(other);
    expect([again, light].map(isGranted)).toEqual([false, true]);
    await release(heavy);
    expect(isGranted(again)).toBe(true);
  });

  test('equals go in the order of asking', async () => {
    const budget = createBudget({ total: 1, perOwner: 1 });
    let last = await ask(budget, 'first', 1);
    const waiting: Request[] = [];
    for (const owner of ['c', 'a', 'b']) waiting.push(await ask(budget, owner, 1));
    for (const next of waiting) {
      await release(last);
      expect(waiting.filter(isGranted).at(-1)).toBe(next);
      last = next;
    }
  });

  test('smaller requests pass a large one by no more than its amount', async () => {
    const budget = createBudget({ total: 100, perOwner: 60 });
    const holders = [await ask(budget, 'x', 50), await ask(budget, 'y', 40)];
    const large = await ask(budget, 'large', 60);
    let passed = 0;
    for (let n = 0; n < 100; n++) {
      const small = await ask(budget, `small-${n}`, 7);
      if (isGranted(small)) passed += 7;
      await release(small);
    }
    expect([passed, isGranted(large)]).toEqual([56, false]);
    await release(...holders);
    expect(isGranted(large)).toBe(true);
  });

  test('owners that keep coming do not starve one that holds something', async () => {
    const budget = createBudget({ total: 10, perOwner: 8 });
    await ask(budget, 'steady', 4);
    let newest = await ask(budget, 'new', 6);
    const waiting = await ask(budget, 'steady', 4);
    let grants = 0;
    for (; !isGranted(waiting) && grants < 50; grants++) {
      const next = await ask(budget, `new-${grants}`, 6);
      await release(newest);
      newest = next;
    }
    expect(grants).toBeLessThanOrEqual(3);
  });
});

describe('giving up', () => {
  test('leaves no trace and tells what the obstacle was', async () => {
    const budget = createBudget({ total: 10, perOwner: 6 });
    const heavy = await ask(budget, 'heavy', 6);
    const own = await ask(budget, 'heavy', 1);
    const other = await ask(budget, 'other', 4);
    const late = await ask(budget, 'late', 1);
    const reason = new Error('time is up');
    await own.abort(reason);
    await late.abort(reason);
    expect(own.error).toBeInstanceOf(BudgetError);
    expect(own.error).toMatchObject({ obstacle: 'owner', cause: reason });
    expect(late.error).toMatchObject({ obstacle: 'total', cause: reason });
    expect([budget.held, budget.waiting]).toEqual([10, 0]);
    await release(heavy, other);
    expect([budget.held, budget.waiting]).toEqual([0, 0]);
  });

  test('lets those behind go on', async () => {
    const budget = createBudget({ total: 10, perOwner: 10 });
    await ask(budget, 'a', 5);
    const large = await ask(budget, 'b', 10);
    const behind = await ask(budget, 'b', 5);
    expect(isGranted(behind)).toBe(false);
    await large.abort();
    expect(isGranted(behind)).toBe(true);
  });

  test('after the grant changes nothing; before the question it is never asked', async () => {
    const budget = createBudget({ total: 10, perOwner: 10 });
    const granted = await ask(budget, 'a', 5);
    await granted.abort();
    expect([granted.error, budget.held]).toEqual([undefined, 5]);
    const reason = new Error('gone');
    await expect(budget.acquire('a', 1, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect([budget.held, budget.waiting]).toEqual([5, 0]);
  });
});

test('no limit is ever passed, nobody is forgotten, and in the end nothing is held', async () => {
  const step = fc.record({
    owner: fc.constantFrom('a', 'b', 'c', 'd'),
    amount: fc.integer({ min: 0, max: 12 }),
    what: fc.constantFrom('ask', 'ask', 'release', 'shrink', 'abort'),
    which: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const budget = createBudget({ total: 10, perOwner: 6 });
      const asked: (Request & { owner: string })[] = [];
      const heldBy = (owner?: string) =>
        asked.reduce((sum, request) => {
          const counts = owner === undefined || request.owner === owner;
          return counts ? sum + (request.lease?.amount ?? 0) : sum;
        }, 0);
      for (const { owner, amount, what, which } of steps) {
        const chosen = asked[which % (asked.length || 1)];
        if (what === 'ask') asked.push(Object.assign(await ask(budget, owner, amount), { owner }));
        else if (what === 'abort') await chosen?.abort();
        else if (what === 'release') chosen?.lease?.release();
        else chosen?.lease?.shrink(amount);
        await heard();
        expect(heldBy()).toBe(budget.held);
        expect(budget.held).toBeLessThanOrEqual(10);
        for (const name of 'abcd') expect(heldBy(name)).toBeLessThanOrEqual(6);
      }
      for (let rounds = 0; rounds <= asked.length; rounds++) await release(...asked);
      expect(asked.every((request) => isGranted(request) || request.error !== undefined)).toBe(true);
      expect([budget.held, budget.waiting]).toEqual([0, 0]);
    }),
    { numRuns: 60 },
  );
});
