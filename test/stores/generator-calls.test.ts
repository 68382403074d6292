import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { storesUnderTest } from './under-test.ts';

const PAID = { generator: 'bfl', model: 'flux-2-pro', mayBeCharged: true };
const FREE = { generator: 'comfyui', model: 'graph', mayBeCharged: false };

describe.each(storesUnderTest())('the calls to generators in %s', (_, { generatorCalls: store }) => {
  it('are listed in their order, as they are now', async () => {
    const jobId = randomUUID();
    const first = await store.begin(jobId, PAID);
    const second = await store.begin(jobId, FREE);
    await store.update(jobId, first ?? '', { task: { id: 't1', poll: 'https://x' }, costUsd: 0.04 });

    const calls = await store.list(jobId);

    expect(calls.map(({ id }) => id)).toEqual([first, second]);
    expect(calls[0]).toMatchObject({
      ...PAID,
      task: { id: 't1', poll: 'https://x' },
      outcome: null,
      costUsd: 0.04,
    });
    expect(calls[1]).toMatchObject({ ...FREE, task: null, startedAt: expect.any(Date) });
  });

  it('are none for a job that has called nothing', async () => {
    expect(await store.list(randomUUID())).toEqual([]);
  });

  it('begin at most twice a job when they may be charged, however many begin at once', async () => {
    const jobId = randomUUID();
    const begun = await Promise.all(Array.from({ length: 8 }, () => store.begin(jobId, PAID)));

    expect(begun.filter((id) => id !== undefined)).toHaveLength(2);
    expect(await store.list(jobId)).toHaveLength(2);
  });

  it('make room for another one when a response shows that they were not charged', async () => {
    const jobId = randomUUID();
    const rejected = await store.begin(jobId, PAID);
    await store.begin(jobId, PAID);
    await store.update(jobId, rejected ?? '', { mayBeCharged: false, outcome: 'unavailable' });

    expect(await store.begin(jobId, PAID)).toBeDefined();
    expect(await store.begin(jobId, PAID)).toBeUndefined();
  });

  it('are not limited where nothing is charged', async () => {
    const jobId = randomUUID();
    for (const _ of Array.from({ length: 5 })) expect(await store.begin(jobId, FREE)).toBeDefined();
  });
});
