import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MAX_REQUESTS } from '../../../lib/domain/job-requests.ts';
import type { JobDraft } from '../../../lib/domain/records.ts';
import { balanceOf, draftOf, newClient } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

describe.each(storesUnderTest())('a job exists while a request is answered with it: %s', (_name, stores) => {
  const { jobs, ledger } = stores;

  async function accepted() {
    const client = await newClient(stores);
    const draft = draftOf(client, { imagesCharged: 2, idempotencyKey: 'order' });
    await jobs.accept(draft);
    return { client, draft, jobId: draft.jobId };
  }

  async function replayed(jobId: string): Promise<string> {
    const requestId = randomUUID();
    expect(await jobs.recordReturned(jobId, requestId)).toMatchObject({ id: jobId });
    return requestId;
  }

  async function expectVoided({ accountId, keyId, jobId }: JobDraft) {
    expect(await jobs.get(jobId)).toBeUndefined();
    expect(await jobs.findByIdempotencyKey(keyId, 'order')).toBeUndefined();
    const rows = (await ledger.list(accountId)).filter((row) => row.jobId === jobId);
    expect(rows.map(({ kind, delta }) => [kind, delta])).toEqual([
      ['charge', -2],
      ['void', 2],
    ]);
    expect((await stores.accounts.get(accountId)).balance).toBe(50);
    expect(await ledger.audit(accountId)).toEqual([]);
  }

  test.each(['the creator first', 'the replay first'])(
    'withdrawing the last of two requests voids the job: %s',
    async (order) => {
      const { client, draft, jobId } = await accepted();
      const both = [jobId, await replayed(jobId)];
      const [first = '', last = ''] = order === 'the creator first' ? both : both.reverse();
      expect(await jobs.void(jobId, first)).toBe(false);
      expect(await jobs.void(jobId, first)).toBe(false);
      expect(await balanceOf(stores, client)).toBe(48);
      expect(await jobs.findByIdempotencyKey(client.keyId, 'order')).toMatchObject({ jobId });
      expect(await jobs.void(jobId, last)).toBe(true);
      expect(await jobs.void(jobId, last)).toBe(true);
      await expectVoided(draft);
    },
  );

  test('withdrawing all requests concurrently voids the job once', async () => {
    const { draft, jobId } = await accepted();
    const all = [jobId, ...(await Promise.all([1, 2, 3].map(() => replayed(jobId))))];
    const voided = await Promise.all(all.map((requestId) => jobs.void(jobId, requestId)));
    expect(voided.filter(Boolean)).toHaveLength(1);
    await expectVoided(draft);
  });

  test('a request that was answered keeps the job when all others are withdrawn', async () => {
    const { client, jobId } = await accepted();
    const [kept, withdrawn] = [await replayed(jobId), await replayed(jobId)];
    for (const requestId of [jobId, withdrawn]) expect(await jobs.void(jobId, requestId)).toBe(false);
    expect(await jobs.void(jobId, randomUUID())).toBe(false);
    expect(await balanceOf(stores, client)).toBe(48);
    expect(await jobs.void(jobId, kept)).toBe(true);
  });

  test('recordReturned rejects a withdrawn request, which then does not keep the job', async () => {
    const { draft, jobId } = await accepted();
    const late = randomUUID();
    expect(await jobs.void(jobId, late)).toBe(false);
    await expect(jobs.recordReturned(jobId, late)).rejects.toThrow('was withdrawn');
    expect(await jobs.void(jobId, jobId)).toBe(true);
    await expectVoided(draft);
  });

  test('a job with a full list is never voided', async () => {
    const { client, jobId } = await accepted();
    const replays = [];
    for (let n = 0; n < 100; n += 1) replays.push(await replayed(jobId));
    for (const requestId of [jobId, ...replays]) expect(await jobs.void(jobId, requestId)).toBe(false);
    expect(await balanceOf(stores, client)).toBe(48);
  });

  test('a request that is recorded again is in the list once', async () => {
    const { draft, jobId } = await accepted();
    const requestId = await replayed(jobId);
    for (let n = 0; n < MAX_REQUESTS; n += 1)
      expect(await jobs.recordReturned(jobId, requestId)).toMatchObject({ id: jobId });
    expect(await jobs.void(jobId, jobId)).toBe(false);
    expect(await jobs.void(jobId, requestId)).toBe(true);
    await expectVoided(draft);
  });

  test('a job with a list that is almost full can still be voided', async () => {
    const { draft, jobId } = await accepted();
    const all = [jobId];
    while (all.length < MAX_REQUESTS - 1) all.push(await replayed(jobId));
    const voided = [];
    for (const requestId of all) voided.push(await jobs.void(jobId, requestId));
    expect(voided.indexOf(true)).toBe(all.length - 1);
    await expectVoided(draft);
  });

  test('the job record does not contain the lists', async () => {
    const { client, jobId } = await accepted();
    await jobs.void(jobId, await replayed(jobId));
    const shown = [await jobs.get(jobId), await jobs.find(client.accountId, jobId)];
    for (const job of [...shown, ...(await jobs.list(client.accountId, 1))])
      expect(Object.keys(job ?? {}).filter((field) => /answered|withdrawn/.test(field))).toEqual([]);
  });

  test('a deleted job is not voided, and the charge of a failed job is reversed once', async () => {
    const [deleted, failed] = [await accepted(), await accepted()];
    await jobs.complete(deleted.jobId, { results: [], processingMs: 1 });
    await jobs.remove([deleted.jobId]);
    await jobs.fail(failed.jobId, { error: 'No.', failureReason: 'no_result', processingMs: null });
    const other = await replayed(failed.jobId);
    expect(await jobs.void(deleted.jobId, deleted.jobId)).toBe(false);
    expect(await balanceOf(stores, deleted.client)).toBe(48);
    expect(await jobs.void(failed.jobId, failed.jobId)).toBe(false);
    expect(await jobs.void(failed.jobId, other)).toBe(true);
    expect(await balanceOf(stores, failed.client)).toBe(50);
    expect(await ledger.audit(failed.client.accountId)).toEqual([]);
  });
});
