import { expect, test } from 'vitest';
import { AccountQueueFull, createAccountQueues } from '../../../lib/stores/mongo/batches.ts';

test('the full queue of an account rejects further items and does not block other accounts', async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const run = async (items: string[]) => {
    if (items.includes('slow')) await finished;
    return items;
  };
  const add = createAccountQueues(run, { maxBatch: 1, maxWaiting: 2 });
  const waiting = [add('a', 'slow'), add('a', 'next')];
  await expect(add('a', 'third')).rejects.toThrow(AccountQueueFull);
  expect(await add('b', 'quick')).toBe('quick');
  finish();
  expect(await Promise.all(waiting)).toEqual(['slow', 'next']);
  expect(await add('a', 'third')).toBe('third');
});
