import { describe, expect, test } from 'vitest';
import { inBatches } from '../../../lib/stores/mongo/batches.ts';

/** A batcher that multiplies by ten; the test ends each batch. */
function controlled(most?: number) {
  const batches: number[][] = [];
  const ends: ((error?: Error) => void)[] = [];
  const multiply = inBatches((items: number[]) => {
    batches.push(items);
    return new Promise<number[]>((resolve, reject) => {
      ends.push((error) => (error === undefined ? resolve(items.map((item) => item * 10)) : reject(error)));
    });
  }, most);
  return { multiply, batches, ends };
}

describe('inBatches', () => {
  test('runs the first call at once, and batches calls that arrive while it runs', async () => {
    const { multiply, batches, ends } = controlled();
    const results = [1, 2, 3].map(multiply);
    expect(batches).toEqual([[1]]);
    ends[0]?.();
    expect(await results[0]).toBe(10);
    expect(batches).toEqual([[1], [2, 3]]);
    ends[1]?.();
    expect(await Promise.all(results)).toEqual([10, 20, 30]);
    void multiply(4);
    expect(batches.at(-1)).toEqual([4]);
  });

  test('limits the size of a batch', async () => {
    const { multiply, batches, ends } = controlled(2);
    const results = [1, 2, 3, 4].map(multiply);
    for (let n = 0; n < 3; n += 1) {
      await expect.poll(() => ends.length).toBe(n + 1);
      ends[n]?.();
    }
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40]);
    expect(batches).toEqual([[1], [2, 3], [4]]);
  });

  test('rejects all calls of a failed batch, and runs the next one', async () => {
    const { multiply, ends } = controlled();
    const results = [1, 2, 3].map(multiply);
    const settled = Promise.allSettled(results);
    ends[0]?.();
    await expect.poll(() => ends.length).toBe(2);
    ends[1]?.(new Error('unavailable'));
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    const next = multiply(5);
    ends[2]?.();
    expect(await next).toBe(50);
  });
});
