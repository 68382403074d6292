import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
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

  it('are as old as the store says, whatever the clock of the process that began them', async () => {
    const jobId = randomUUID();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    const id = await store.begin(jobId, PAID).finally(() => vi.useRealTimers());
    await store.update(jobId, id ?? '', { outcome: 'completed' });

    const [call] = await store.list(jobId);
    expect(Math.abs(call?.ageMs ?? Number.NaN)).toBeLessThan(60_000);
    const seconds = (call?.endedAt?.getTime() ?? 0) - (call?.startedAt.getTime() ?? 0);
    expect(Math.abs(seconds)).toBeLessThan(60_000);
  });

  it('begin no more once the job has ended, and those that have begun can still end', async () => {
    const jobId = randomUUID();
    const id = await store.begin(jobId, FREE);
    expect(await store.close(jobId)).toMatchObject([{ id, outcome: null }]);
    expect(await store.begin(jobId, FREE)).toBeUndefined();
    await store.update(jobId, id ?? '', { outcome: 'cancelled' });
    expect(await store.close(jobId)).toMatchObject([{ id, outcome: 'cancelled' }]);
  });

  it('are given a task only while they are open', async () => {
    const jobId = randomUUID();
    const id = (await store.begin(jobId, PAID)) ?? '';
    const other = (await store.begin(jobId, FREE)) ?? '';
    expect(await store.update(jobId, id, { task: { id: 't1' } })).toBe(true);
    expect(await store.update(jobId, id, { outcome: 'lost' })).toBe(true);
    expect(await store.update(jobId, id, { task: { id: 't2' } })).toBe(false);
    expect(await store.update(jobId, other, { task: { id: 't3' } })).toBe(true);
    expect(await store.update(jobId, randomUUID(), { outcome: 'lost' })).toBe(false);
    expect(await store.list(jobId)).toMatchObject([
      { task: { id: 't1' }, outcome: 'lost' },
      { task: { id: 't3' }, outcome: null },
    ]);
  });

  it('never begin in a job that ended before its first one', async () => {
    const jobId = randomUUID();
    expect(await store.close(jobId)).toEqual([]);
    expect(await store.begin(jobId, PAID)).toBeUndefined();
  });

  it('are not limited where nothing is charged', async () => {
    const jobId = randomUUID();
    for (const _ of Array.from({ length: 5 })) expect(await store.begin(jobId, FREE)).toBeDefined();
  });
});
