import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { NotFound } from '../../../lib/domain/errors.ts';
import type { JobDraft } from '../../../lib/domain/records.ts';
import { draftOf, newClient, newKey } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

describe.each(storesUnderTest())('lists for the operator: %s', (_name, stores) => {
  const { accounts, deliveries, jobs, settings } = stores;

  type Row = { id: string };
  /** Reads a list in pages of two. */
  async function inPages(read: (limit: number, after?: string) => Promise<Row[]>): Promise<string[]> {
    const ids: string[] = [];
    for (let after: string | undefined; ; after = ids.at(-1)) {
      const page = await read(2, after);
      ids.push(...page.map(({ id }) => id));
      if (page.length < 2) return ids;
    }
  }
  const idsOf = (rows: Row[]) => rows.map(({ id }) => id);

  async function acceptEach(changes: readonly Partial<JobDraft>[]) {
    const client = await newClient(stores);
    const ids: string[] = [];
    for (const change of changes) {
      const draft = draftOf(client, change);
      await jobs.accept(draft);
      ids.push(draft.jobId);
    }
    return { ...client, ids };
  }

  test('pages of accounts have every account once', async () => {
    for (let index = 0; index < 5; index += 1) await newClient(stores);
    expect(await inPages(accounts.list)).toEqual(idsOf(await accounts.list(1000)));
    await expect(accounts.list(1, randomUUID())).rejects.toThrow(NotFound);
  });

  test('pages of jobs have every job once, of one account or of all', async () => {
    const { accountId, ids } = await acceptEach([{}, {}, {}, {}, {}]);
    const own = await inPages((limit, after) => jobs.list(accountId, limit, { after }));
    expect([...own].sort()).toEqual([...ids].sort());
    const all = await inPages((limit, after) => jobs.list(null, limit, { after }));
    expect(all).toEqual(idsOf(await jobs.list(null, 1000)));
    expect(all).toEqual(expect.arrayContaining(ids));
    await expect(jobs.list(accountId, 1, { after: randomUUID() })).rejects.toThrow(NotFound);
  });

  test('jobs are found by status, tool and time', async () => {
    await jobs.fence(randomUUID());
    const { accountId, ids } = await acceptEach([{ tool: 'pool' }, { tool: 'pool' }, { tool: 'declutter' }]);
    const [failed = '', running, other] = ids;
    await jobs.fail(failed, { error: 'No.', failureReason: 'no_result', processingMs: 1 });
    const found = async (filter: object) => idsOf(await jobs.list(accountId, 10, filter)).sort();
    expect(await found({ tool: 'pool' })).toEqual([failed, running].sort());
    expect(await found({ status: 'failed' })).toEqual([failed]);
    expect(await found({ status: 'processing', tool: 'declutter' })).toEqual([other]);
    const createdAt = (await jobs.get(failed))?.createdAt ?? new Date();
    expect(await found({ since: createdAt })).toEqual([...ids].sort());
    expect(await found({ since: new Date(Date.now() + 60_000) })).toEqual([]);
    expect(idsOf(await jobs.list(null, 1000, { status: 'failed' }))).toContain(failed);
  });

  test('a brief list has jobs without their options and warnings', async () => {
    const idempotencyKey = randomUUID();
    const said = {
      options: { sky: 'pink' },
      warnings: [{ code: 'option_ignored', option: 'x', message: 'Ignored.' }],
    } satisfies Partial<JobDraft>;
    const { accountId, ids } = await acceptEach([{ ...said, idempotencyKey }]);
    expect(await jobs.list(accountId, 1)).toMatchObject([said]);
    for (const keys of [undefined, [idempotencyKey]]) {
      const [job] = await jobs.list(accountId, 1, { brief: true, keys });
      expect(job).toEqual({ ...(await jobs.get(ids[0] ?? '')), options: {}, warnings: [] });
    }
  });

  test('jobs are found by their idempotency key, whichever API key used it', async () => {
    const idempotencyKey = randomUUID();
    const first = await acceptEach([{ idempotencyKey }, {}]);
    const { key } = await newKey(stores, first.accountId);
    const second = draftOf({ accountId: first.accountId, keyId: key.id }, { idempotencyKey });
    await jobs.accept(second);
    const stranger = await acceptEach([{ idempotencyKey }]);
    const find = async (accountId: string | null) =>
      idsOf(await jobs.listByIdempotencyKey(accountId, idempotencyKey)).sort();
    expect(await find(first.accountId)).toEqual([first.ids[0], second.jobId].sort());
    expect(await find(null)).toEqual([first.ids[0], second.jobId, stranger.ids[0]].sort());
    expect(await jobs.listByIdempotencyKey(null, randomUUID())).toEqual([]);
  });

  test('usage sums the jobs of a period by tool; deleted ones count as what they were', async () => {
    const { accountId, ids } = await acceptEach([
      { tool: 'pool', imagesCharged: 2 },
      { tool: 'pool' },
      { tool: 'declutter' },
      { tool: 'pool' },
    ]);
    const [completed = '', failed = '', deleted = ''] = ids;
    await jobs.complete(completed, { results: [], processingMs: 1 });
    await jobs.fail(failed, { error: 'No.', failureReason: 'no_result', processingMs: 1 });
    await jobs.fail(deleted, { error: 'No.', failureReason: 'no_result', processingMs: 1 });
    await jobs.remove([deleted]);
    const today = Date.now();
    const period = (from: number, until: number) => jobs.usage(accountId, new Date(from), new Date(until));
    const DAY = 24 * 3_600_000;
    expect(await period(today - 3 * DAY, today + DAY)).toEqual([
      { tool: 'declutter', jobs: 1, completed: 0, failed: 1, imagesCharged: 1, imagesRefunded: 1 },
      { tool: 'pool', jobs: 3, completed: 1, failed: 1, imagesCharged: 4, imagesRefunded: 1 },
    ]);
    expect(await period(today - 3 * DAY, today - DAY)).toEqual([]);
  });

  test('failed deliveries are listed in pages, of one account or of all', async () => {
    const { accountId } = await newClient(stores);
    const ids: string[] = [];
    for (const state of ['failed', 'delivered', 'failed', 'failed', 'pending'] as const) {
      const id = `msg_${randomUUID()}`;
      const event = { accountId, jobId: randomUUID(), type: 'job.completed', target: 'account' } as const;
      await deliveries.plan({ ...event, id, url: 'https://a.example/', cycle: 'first' });
      if (state === 'failed') await deliveries.close(id, 'first', { state, reason: 'No.' });
      if (state === 'failed') ids.push(id);
    }
    for (const account of [accountId, null]) {
      const failed = await inPages((limit, after) =>
        deliveries.list(account, limit, { state: 'failed', after }),
      );
      expect([...failed].sort()).toEqual([...ids].sort());
    }
  });

  test('a tool is switched off once, and on again', async () => {
    expect(await settings.disabledTools()).toEqual([]);
    for (const slug of ['pool', 'declutter', 'pool']) await settings.setToolEnabled(slug, false);
    expect(await settings.disabledTools()).toEqual(['declutter', 'pool']);
    for (const slug of ['pool', 'pool']) await settings.setToolEnabled(slug, true);
    expect(await settings.disabledTools()).toEqual(['declutter']);
  });
});
