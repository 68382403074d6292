import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ObjectRef } from '../../../lib/domain/records.ts';
import type { Stores } from '../../../lib/stores/stores.ts';
import { draftOf, newClient } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

const ALL = { after: '', until: null };
const DAY_MS = 24 * 3_600_000;

describe.each(storesUnderTest())('orphans: %s', (_name, stores: Stores) => {
  const { orphans, removals } = stores;
  const results = (...keys: string[]): ObjectRef[] => keys.map((key) => ({ bucket: 'results', key }));

  async function seen(bucket: ObjectRef['bucket'] = 'results', keptMs = -DAY_MS): Promise<string[]> {
    return (await orphans.due(bucket, keptMs, '', 1000)).refs.map(({ key }) => key);
  }

  test('a range has the rows of the latest call, and rows outside of it stay', async () => {
    await orphans.record('results', ALL, ['a', 'b', 'c', '$d', 'é/f'], false);
    await orphans.record('inputs', ALL, ['b'], false);
    expect(await seen()).toEqual(['$d', 'a', 'b', 'c', 'é/f']);
    await orphans.record('results', { after: 'a', until: 'b' }, [], false);
    expect(await seen()).toEqual(['$d', 'a', 'c', 'é/f']);
    await orphans.record('results', { after: 'c', until: null }, ['g'], false);
    expect([await seen(), await seen('inputs')]).toEqual([['$d', 'a', 'c', 'g'], ['b']]);
    await orphans.record('results', ALL, [], false);
    expect(await seen()).toEqual([]);
  });

  test('a row is due when it was first seen long enough ago, page by page', async () => {
    await orphans.record('results', ALL, ['a', 'b', 'c'], false);
    await orphans.record('results', ALL, ['a', 'b', 'c'], false);
    expect(await seen('results', DAY_MS)).toEqual([]);
    expect(await seen('results', 0)).toEqual(['a', 'b', 'c']);
    const first = await orphans.due('results', 0, '', 2);
    expect(first).toEqual({ refs: results('a', 'b'), next: 'b' });
    expect(await orphans.due('results', 0, 'b', 2)).toEqual({ refs: results('c'), next: null });
    expect(await orphans.due('results', DAY_MS, '', 2)).toEqual({ refs: [], next: 'b' });
  });

  test('rows that nobody has agreed to are counted', async () => {
    await orphans.record('results', ALL, [], false);
    expect(await orphans.record('results', ALL, ['a', 'b'], false)).toBe(2);
    expect(await orphans.record('results', ALL, ['a', 'b'], true)).toBe(0);
    expect(await orphans.record('results', ALL, ['a', 'b', 'c'], false)).toBe(1);
    expect(await orphans.record('results', { after: 'c', until: null }, [], false)).toBe(0);
  });

  test('what is given up is queued for removal, but for what has got a job', async () => {
    const { jobId, ...draft } = draftOf(await newClient(stores));
    const [owned, free] = [`${randomUUID()}.png`, `${randomUUID()}.png`];
    await stores.jobs.accept({ jobId, ...draft });
    await stores.jobs.complete(jobId, { results: results(owned), processingMs: 1 });
    await orphans.record('results', ALL, [owned, free], false);
    expect(await orphans.enqueueRemovals(results(owned, free))).toEqual(results(free));
    expect(await seen()).toEqual([]);
    const queued = (await removals.pending('', 1000)).refs.map(({ key }) => key);
    expect(queued).toContain(free);
    expect(queued).not.toContain(owned);
  });
});

describe.each(storesUnderTest())('the installation: %s', (_name, { settings, retention }: Stores) => {
  test('has the first id that was claimed, until it is replaced', async () => {
    expect(await settings.installation()).toBeUndefined();
    const ids = await Promise.all(['a', 'b', 'c'].map(settings.claimInstallation));
    expect(new Set(ids).size).toBe(1);
    expect(await settings.installation()).toBe(ids[0]);
    await settings.setInstallation('d');
    expect([await settings.claimInstallation('e'), await settings.installation()]).toEqual(['d', 'd']);
  });

  test('has what holds back its removals', async () => {
    expect(await settings.removalsHeld()).toEqual([]);
    for (const held of [true, true]) await settings.setRemovalsHeld('results', held);
    await settings.setRemovalsHeld('inputs', true);
    expect(await settings.removalsHeld()).toEqual(['inputs', 'results']);
    await settings.setRemovalsHeld('results', false);
    expect(await settings.removalsHeld()).toEqual(['inputs']);
  });

  test('has no images before its first job', async () => {
    expect([await retention.hasImages('inputs'), await retention.hasImages('results')]).toEqual([
      false,
      false,
    ]);
  });
});
