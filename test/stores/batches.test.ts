import { describe, expect, test } from 'vitest';
import { inBatches } from '../../stores/mongo/batches.ts';

/** Batches of numbers that end when told to; each answer is ten times its question. */
function controlled(most?: number) {
  const batches: number[][] = [];
  const ends: ((error?: Error) => void)[] = [];
  const ask = inBatches((items: number[]) => {
    batches.push(items);
    return new Promise<number[]>((resolve, reject) => {
      ends.push((error) => (error === undefined ? resolve(items.map((item) => item * 10)) : reject(error)));
    });
  }, most);
  return { ask, batches, ends };
}

describe('what is asked for in batches', () => {
  test('goes at once when nothing is under way, and together once something is', async () => {
    const { ask, batches, ends } = controlled();
    const answers = [1, 2, 3].map(ask);
    expect(batches).toEqual([[1]]);
    ends[0]?.();
    expect(await answers[0]).toBe(10);
    expect(batches).toEqual([[1], [2, 3]]);
    ends[1]?.();
    expect(await Promise.all(answers)).toEqual([10, 20, 30]);
    void ask(4);
    expect(batches.at(-1)).toEqual([4]);
  });

  test('goes in batches of bounded size', async () => {
    const { ask, batches, ends } = controlled(2);
    const answers = [1, 2, 3, 4].map(ask);
    for (let n = 0; n < 3; n += 1) {
      await expect.poll(() => ends.length).toBe(n + 1);
      ends[n]?.();
    }
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40]);
    expect(batches).toEqual([[1], [2, 3], [4]]);
  });

  test('fails as a batch, and the next one starts afresh', async () => {
    const { ask, ends } = controlled();
    const answers = [1, 2, 3].map(ask);
    const settled = Promise.allSettled(answers);
    ends[0]?.();
    await expect.poll(() => ends.length).toBe(2);
    ends[1]?.(new Error('away'));
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    const again = ask(5);
    ends[2]?.();
    expect(await again).toBe(50);
  });
});
