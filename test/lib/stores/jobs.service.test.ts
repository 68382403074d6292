import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { NotFound } from '../../../lib/domain/errors.ts';
import { balanceOf, draftOf, newClient } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

describe.each(storesUnderTest())('job store: %s', (_name, stores) => {
  const { jobs, ledger } = stores;

  test('an accepted job is charged, stored with its input, and processing', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client, { imagesCharged: 2, idempotencyKey: 'order 1' });
    const { jobId, bodyDigest } = draft;
    expect(await jobs.accept(draft)).toEqual({ outcome: 'accepted', jobId, bodyDigest });
    expect(await balanceOf(stores, client)).toBe(48);
    const job = await jobs.find(client.accountId, jobId);
    const { input, idempotencyKey, bodyDigest: _, jobId: id, ...stored } = draft;
    expect(job).toMatchObject({ id, ...stored, status: 'processing', inputs: [input], results: [] });
    expect(job).toMatchObject({ error: null, completedAt: null, processingMs: null });
    const row = (await ledger.list(client.accountId)).at(-1);
    expect(row).toMatchObject({ id: `charge:${jobId}`, kind: 'charge', delta: -2, balanceAfter: 48, jobId });
    expect(await jobs.findByIdempotencyKey(client.keyId, 'order 1')).toEqual({ jobId, bodyDigest });
  });

  test('a repeated acceptance charges once', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client, { idempotencyKey: 'again' });
    const first = await jobs.accept(draft);
    expect(await jobs.accept(draft)).toEqual(first);
    expect(await balanceOf(stores, client)).toBe(49);
  });

  test('an insufficient balance creates no job, no ledger row and no idempotency row', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client, { imagesCharged: 51, idempotencyKey: 'too much' });
    expect(await jobs.accept(draft)).toEqual({ outcome: 'insufficient_credits', jobId: draft.jobId });
    expect(await balanceOf(stores, client)).toBe(50);
    expect(await jobs.get(draft.jobId)).toBeUndefined();
    expect(await jobs.findByIdempotencyKey(client.keyId, 'too much')).toBeUndefined();
    expect(await ledger.list(client.accountId)).toHaveLength(1);
    const smaller = draftOf(client, { idempotencyKey: 'too much' });
    expect(await jobs.accept(smaller)).toMatchObject({ outcome: 'accepted' });
  });

  test('a used idempotency key returns its job, even if the balance is exhausted', async () => {
    const client = await newClient(stores);
    const first = draftOf(client, { idempotencyKey: 'k', imagesCharged: 50, bodyDigest: 'first' });
    await jobs.accept(first);
    const second = await jobs.accept(draftOf(client, { idempotencyKey: 'k', bodyDigest: 'second' }));
    expect(second).toEqual({ outcome: 'existing', jobId: first.jobId, bodyDigest: 'first' });
    expect(await balanceOf(stores, client)).toBe(0);
  });

  test('idempotency keys are scoped to the API key', async () => {
    const one = await newClient(stores);
    const two = await newClient(stores);
    await jobs.accept(draftOf(one, { idempotencyKey: 'same' }));
    const other = await jobs.accept(draftOf(two, { idempotencyKey: 'same' }));
    expect(other.outcome).toBe('accepted');
  });

  test('voiding a job reverses everything, and the job cannot be accepted again', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client, { idempotencyKey: 'late', imagesCharged: 2 });
    await jobs.accept(draft);
    expect(await jobs.void(draft.jobId, draft.jobId)).toBe(true);
    expect(await jobs.void(draft.jobId, draft.jobId)).toBe(true);
    expect(await balanceOf(stores, client)).toBe(50);
    expect(await jobs.get(draft.jobId)).toBeUndefined();
    expect(await jobs.recordReturned(draft.jobId, randomUUID())).toBe('voided');
    expect(await jobs.fence(draft.jobId)).toBeUndefined();
    expect(await jobs.list(client.accountId, 10)).toEqual([]);
    expect(await jobs.findByIdempotencyKey(client.keyId, 'late')).toBeUndefined();
    expect(await jobs.accept(draft)).toEqual({ outcome: 'voided', jobId: draft.jobId });
    expect(await jobs.accept(draftOf(client, { idempotencyKey: 'late' }))).toMatchObject({
      outcome: 'accepted',
    });
  });

  test('a job voided before its acceptance is never charged', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client);
    expect(await jobs.void(draft.jobId, draft.jobId)).toBe(true);
    expect(await jobs.accept(draft)).toEqual({ outcome: 'voided', jobId: draft.jobId });
    expect(await balanceOf(stores, client)).toBe(50);
  });

  test('a fence before the acceptance prevents the charge; after it, it returns the job', async () => {
    const client = await newClient(stores);
    const [late, inTime] = [draftOf(client), draftOf(client)];
    expect(await jobs.fence(late.jobId)).toBeUndefined();
    expect(await jobs.accept(late)).toEqual({ outcome: 'voided', jobId: late.jobId });
    await jobs.accept(inTime);
    expect(await jobs.fence(inTime.jobId)).toMatchObject({ id: inTime.jobId, status: 'processing' });
    expect(await jobs.fence(inTime.jobId)).toMatchObject({ id: inTime.jobId });
    expect(await balanceOf(stores, client)).toBe(49);
  });

  test('a job refused with insufficient_credits and fenced remains refused after a purchase', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client, { imagesCharged: 51 });
    expect(await jobs.accept(draft)).toEqual({ outcome: 'insufficient_credits', jobId: draft.jobId });
    expect(await jobs.fence(draft.jobId, true)).toBeUndefined();
    await stores.packs.add({ accountId: client.accountId, images: 100, reference: null });
    expect(await jobs.accept(draft)).toEqual({ outcome: 'insufficient_credits', jobId: draft.jobId });
    expect(await balanceOf(stores, client)).toBe(150);
  });

  test('an ended job can be voided as well', async () => {
    const client = await newClient(stores);
    const [completed, failed] = [draftOf(client, { idempotencyKey: 'completed' }), draftOf(client)];
    for (const draft of [completed, failed]) await jobs.accept(draft);
    const results = [{ bucket: 'results' as const, key: `${client.accountId}/late.jpeg` }];
    await jobs.complete(completed.jobId, { results, processingMs: 1 });
    await jobs.fail(failed.jobId, { error: 'No.', failureReason: 'no_result', processingMs: null });
    for (const { jobId } of [completed, failed]) expect(await jobs.void(jobId, jobId)).toBe(true);
    expect(await jobs.get(completed.jobId)).toBeUndefined();
    expect(await jobs.findByIdempotencyKey(client.keyId, 'completed')).toBeUndefined();
    expect(await balanceOf(stores, client)).toBe(50);
    expect(await ledger.audit(client.accountId)).toEqual([]);
    const { refs } = await stores.removals.pending('', 1000);
    expect(refs).toEqual(expect.arrayContaining([completed.input, failed.input, ...results]));
  });

  test('a job is completed once, and cannot fail afterwards', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client);
    await jobs.accept(draft);
    const results = [{ bucket: 'results' as const, key: 'a/b-staged.jpeg' }];
    const { job: completed } = await jobs.complete(draft.jobId, { results, processingMs: 1200 });
    expect(completed).toMatchObject({ status: 'completed', results, processingMs: 1200, error: null });
    expect(completed.completedAt).toBeInstanceOf(Date);
    expect(await jobs.complete(draft.jobId, { results: [], processingMs: 1 })).toMatchObject({
      job: completed,
    });
    expect(
      await jobs.fail(draft.jobId, { error: 'No.', failureReason: 'no_result', processingMs: null }),
    ).toMatchObject({
      job: completed,
    });
    expect(await jobs.ended(draft.jobId)).toEqual({ job: completed, delivery: null, calls: [] });
    expect(await balanceOf(stores, client)).toBe(49);
  });

  test('a failed job is refunded once, and imagesCharged is unchanged', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client, { imagesCharged: 2 });
    await jobs.accept(draft);
    expect(await jobs.ended(draft.jobId)).toBeUndefined();
    const { job: failed } = await jobs.fail(draft.jobId, {
      error: 'The model refused.',
      failureReason: 'no_result',
      processingMs: 300,
    });
    expect(failed).toMatchObject({ status: 'failed', error: 'The model refused.', imagesCharged: 2 });
    expect(failed).toMatchObject({ processingMs: 300, completedAt: expect.any(Date) });
    expect(
      await jobs.fail(draft.jobId, { error: 'Again.', failureReason: 'no_result', processingMs: 1 }),
    ).toMatchObject({ job: failed });
    expect(await jobs.complete(draft.jobId, { results: [], processingMs: 1 })).toMatchObject({ job: failed });
    expect(await balanceOf(stores, client)).toBe(50);
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });

  test('a failure that counts is counted for the account once; other failures are not counted', async () => {
    const client = await newClient(stores);
    const failuresOf = async () => (await stores.accounts.get(client.accountId)).failures;
    const fail = async (counted?: boolean) => {
      const { jobId } = draftOf(client);
      await jobs.accept(draftOf(client, { jobId }));
      const end = {
        error: 'No.',
        failureReason: 'no_result' as const,
        processingMs: 1,
        ...(counted === undefined ? {} : { counted }),
      };
      const { job } = await jobs.fail(jobId, end);
      await jobs.fail(jobId, end);
      return job;
    };
    await fail();
    await fail(false);
    expect(await failuresOf()).toBeUndefined();
    expect(await fail(true)).not.toHaveProperty('counted');
    const first = await failuresOf();
    expect(first).toEqual({ since: expect.any(Date), jobs: 1 });
    await fail(true);
    expect(await failuresOf()).toEqual({ since: first?.since, jobs: 2 });
  });

  test('complete and fail reject an unknown job', async () => {
    await expect(jobs.complete(randomUUID(), { results: [], processingMs: 1 })).rejects.toThrow(NotFound);
    await expect(
      jobs.fail(randomUUID(), { error: 'No.', failureReason: 'no_result', processingMs: 1 }),
    ).rejects.toThrow(NotFound);
    await expect(jobs.ended(randomUUID())).rejects.toThrow(NotFound);
    expect(await jobs.get(randomUUID())).toBeUndefined();
  });

  test("another account's job is not found", async () => {
    const client = await newClient(stores);
    const draft = draftOf(client);
    await jobs.accept(draft);
    const stranger = await newClient(stores);
    expect(await jobs.find(stranger.accountId, draft.jobId)).toBeUndefined();
    expect(await jobs.list(stranger.accountId, 10)).toEqual([]);
  });

  test('a list contains the newest jobs of the account', async () => {
    const client = await newClient(stores);
    const drafts = [draftOf(client), draftOf(client), draftOf(client)];
    for (const draft of drafts) await jobs.accept(draft);
    expect((await jobs.list(client.accountId, 10)).map(({ id }) => id).sort()).toEqual(
      drafts.map(({ jobId }) => jobId).sort(),
    );
    expect(await jobs.list(client.accountId, 2)).toHaveLength(2);
  });
});
