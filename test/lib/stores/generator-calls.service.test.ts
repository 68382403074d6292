import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import type { GeneratorCall, NewCall } from '../../../lib/domain/generator-call.ts';
import { draftOf, newClient } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

const PAID = { generator: 'bfl', model: 'flux-2-pro', mayBeCharged: true };
const FREE = { generator: 'comfyui', model: 'graph', mayBeCharged: false };
const END = { error: 'no', failureReason: 'unavailable', processingMs: 1 } as const;

describe.each(storesUnderTest())('the calls to generators in %s', (_, stores) => {
  const { generatorCalls: store, jobs } = stores;

  async function newJob(): Promise<string> {
    const draft = draftOf(await newClient(stores));
    await jobs.accept(draft);
    return draft.jobId;
  }

  /** Begins a call after the calls that are listed now. @returns its id, or why it has not begun */
  async function begin(jobId: string, fields: Omit<NewCall, 'id'>, listed?: readonly GeneratorCall[]) {
    const id = randomUUID();
    const beginning = await store.begin(jobId, { id, ...fields }, listed ?? (await store.list(jobId)));
    return beginning === 'begun' ? id : beginning;
  }

  test('are listed in their order, as they are now', async () => {
    const jobId = await newJob();
    const first = await begin(jobId, PAID);
    const second = await begin(jobId, FREE);
    await store.update(jobId, first, { task: { id: 't1', poll: 'https://x' }, costUsd: 0.04 });

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

  test('are none for a job that has called nothing, and for an unknown one', async () => {
    expect(await store.list(await newJob())).toEqual([]);
    expect(await store.list(randomUUID())).toEqual([]);
  });

  test('begin one at a time, when several attempts have listed the same calls', async () => {
    const jobId = await newJob();
    const begun = await Promise.all(Array.from({ length: 8 }, () => begin(jobId, PAID, [])));
    expect(begun.filter((each) => each !== 'changed')).toHaveLength(1);
    const listed = await store.list(jobId);
    expect(listed).toHaveLength(1);

    const more = await Promise.all(Array.from({ length: 8 }, () => begin(jobId, PAID, listed)));
    expect(more.filter((each) => each !== 'changed')).toHaveLength(1);
  });

  test('begin only if none has ended since they were listed', async () => {
    const jobId = await newJob();
    const id = await begin(jobId, PAID);
    await store.update(jobId, id, { outcome: 'lost' });
    const listed = await store.list(jobId);
    await store.update(jobId, id, { outcome: 'completed', result: { bucket: 'results', key: 'late' } });

    expect(await begin(jobId, PAID, listed)).toBe('changed');
    expect(await store.list(jobId)).toHaveLength(1);
  });

  test.each<[string, (jobId: string) => Promise<unknown>]>([
    ['failed', (jobId) => jobs.fail(jobId, END)],
    ['was completed', (jobId) => jobs.complete(jobId, { results: [], processingMs: 1 })],
    ['was voided', (jobId) => jobs.void(jobId, jobId)],
  ])('begin no more once the job %s, and calls that have begun can still end', async (_end, end) => {
    const jobId = await newJob();
    const id = await begin(jobId, FREE);
    expect(await store.beat(jobId, id)).toBe(true);
    await end(jobId);

    expect(await begin(jobId, FREE)).toBe('ended');
    expect(await begin(jobId, PAID, [])).toBe('ended');
    expect(await store.beginLocal(jobId)).toBe(false);
    expect(await store.beat(jobId, id)).toBe(false);
    expect(await store.openOfEnded('', 1000)).toContain(jobId);
    expect(await store.update(jobId, id, { outcome: 'cancelled' })).toBe(true);
    expect(await store.openOfEnded('', 1000)).not.toContain(jobId);
  });

  test('are needed until their job ends, although another attempt has taken them for lost', async () => {
    const jobId = await newJob();
    const id = await begin(jobId, PAID);
    await store.update(jobId, id, { task: null, outcome: 'lost' });
    expect(await store.beat(jobId, id)).toBe(true);
    await jobs.complete(jobId, { results: [], processingMs: 1 });
    expect(await store.beat(jobId, id)).toBe(false);
  });

  test('are needed in a job that was restored without them, which can then fail', async () => {
    const jobId = await newJob();
    expect(await store.beat(jobId, randomUUID())).toBe(true);
    expect((await jobs.fail(jobId, END)).job.status).toBe('failed');
    expect(await store.list(jobId)).toEqual([]);
  });

  test('begin in no job that does not exist', async () => {
    expect(await begin(randomUUID(), PAID)).toBe('ended');
  });

  test('replace those of their generator that failed and cost nothing, and count them', async () => {
    const jobId = await newJob();
    const charged = await begin(jobId, PAID);
    await store.update(jobId, charged, { outcome: 'unavailable' });
    for (const _ of [1, 2, 3]) {
      const id = await begin(jobId, FREE);
      await store.update(jobId, id, { outcome: 'unavailable' });
    }
    expect(await store.list(jobId)).toMatchObject([
      { id: charged, earlierFailures: 0 },
      { generator: 'comfyui', earlierFailures: 2 },
    ]);
    await begin(jobId, { ...PAID, mayBeCharged: false });
    expect(await store.list(jobId)).toHaveLength(3);
  });

  test('keep those whose task has failed', async () => {
    const jobId = await newJob();
    for (const id of ['t1', 't2']) {
      const callId = await begin(jobId, FREE);
      await store.update(jobId, callId, { task: { id } });
      await store.update(jobId, callId, { outcome: 'unavailable' });
    }
    expect(await store.list(jobId)).toMatchObject([{ task: { id: 't1' } }, { task: { id: 't2' } }]);
  });

  test('are as old and as silent as the store says, whatever the clocks of the processes', async () => {
    const jobId = await newJob();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    const id = await begin(jobId, PAID).finally(() => vi.useRealTimers());
    const [begun] = await store.list(jobId);
    await store.beat(jobId, id);
    const [alive] = await store.list(jobId);
    await store.update(jobId, id, { outcome: 'completed' });

    expect(alive?.beatAt.getTime()).toBeGreaterThanOrEqual(begun?.beatAt.getTime() ?? Number.NaN);
    const [call] = await store.list(jobId);
    expect(Math.abs(call?.ageMs ?? Number.NaN)).toBeLessThan(60_000);
    expect(Math.abs(call?.silentMs ?? Number.NaN)).toBeLessThan(60_000);
    const seconds = (call?.endedAt?.getTime() ?? 0) - (call?.startedAt.getTime() ?? 0);
    expect(Math.abs(seconds)).toBeLessThan(60_000);
    expect(await store.beat(jobId, id)).toBe(false);
  });

  test('go on where the job is unknown, because MongoDB was restored', async () => {
    expect(await store.beat(randomUUID(), randomUUID())).toBe(true);
  });

  test('are given a task only while they are open', async () => {
    const jobId = await newJob();
    const id = await begin(jobId, PAID);
    const other = await begin(jobId, FREE);
    expect(await store.update(jobId, id, { task: { id: 't1' } })).toBe(true);
    expect(await store.update(jobId, id, { outcome: 'lost' })).toBe(true);
    expect(await store.update(jobId, id, { task: { id: 't2' } })).toBe(false);
    expect(await store.update(jobId, other, { task: { id: 't3' } })).toBe(true);
    expect(await store.update(jobId, other, { task: null, outcome: 'lost' })).toBe(false);
    expect(await store.update(jobId, randomUUID(), { outcome: 'lost' })).toBe(false);
    expect(await store.list(jobId)).toMatchObject([
      { task: { id: 't1' }, outcome: 'lost' },
      { task: { id: 't3' }, outcome: null },
    ]);
  });

  test('keep their first result, when two attempts have resumed the same task', async () => {
    const jobId = await newJob();
    const id = await begin(jobId, PAID);
    const [first, second] = [1, 2].map((n) => ({ bucket: 'results', key: `a/${n}.jpeg` }) as const);
    expect(await store.update(jobId, id, { outcome: 'completed', result: first ?? null })).toBe(true);
    expect(await store.update(jobId, id, { outcome: 'completed', result: second ?? null })).toBe(false);
    expect(await store.list(jobId)).toMatchObject([{ result: first }]);
  });

  test('that have stored a result which the job does not use leave it to the outbox of removals', async () => {
    const objects = [1, 2].map((n) => ({ bucket: 'results', key: `${randomUUID()}/${n}.jpeg` }) as const);
    const [failed, deleted] = [await newJob(), await newJob()];
    for (const [n, jobId] of [failed, deleted].entries()) {
      const id = await begin(jobId, PAID);
      await store.update(jobId, id, { outcome: 'completed', result: objects[n] ?? null });
    }
    await jobs.fail(failed, END);
    await jobs.complete(deleted, { results: [], processingMs: 1 });
    const removals = () => stores.removals.pending('', 1000).then(({ refs }) => refs);
    expect(await removals()).toContainEqual(objects[0]);
    expect(await removals()).not.toContainEqual(objects[1]);

    await jobs.remove([deleted]);
    expect(await removals()).toContainEqual(objects[1]);
    expect(await store.list(deleted)).toMatchObject([{ outcome: 'completed', result: null }]);
  });
});
