import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { NotFound } from '../../stores/ports.ts';
import { balanceOf, draftOf, newClient, storesUnderTest } from './under-test.ts';

describe.each(storesUnderTest())('job store: %s', (_name, stores) => {
  const { jobs, ledger } = stores;

  test('an accepted job is charged, stored as asked for, and processing', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client, { imagesCharged: 2, idempotencyKey: 'order 1' });
    const { jobId, bodyDigest } = draft;
    expect(await jobs.accept(draft)).toEqual({ outcome: 'accepted', jobId, bodyDigest });
    expect(await balanceOf(stores, client)).toBe(48);
    const job = await jobs.find(client.accountId, jobId);
    const { input, idempotencyKey, bodyDigest: _, jobId: id, ...kept } = draft;
    expect(job).toMatchObject({ id, ...kept, status: 'processing', inputs: [input], results: [] });
    expect(job).toMatchObject({ error: null, completedAt: null, processingMs: null });
    const row = (await ledger.list(client.accountId)).at(-1);
    expect(row).toMatchObject({ id: `charge:${jobId}`, kind: 'charge', delta: -2, balanceAfter: 48, jobId });
    expect(await jobs.findByIdempotencyKey(client.keyId, 'order 1')).toEqual({ jobId, bodyDigest });
  });

  test('an acceptance repeated for one job charges once', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client, { idempotencyKey: 'again' });
    const first = await jobs.accept(draft);
    expect(await jobs.accept(draft)).toEqual(first);
    expect(await balanceOf(stores, client)).toBe(49);
  });

  test('a balance that is short leaves no job, no row and the key unspent', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client, { imagesCharged: 51, idempotencyKey: 'too much' });
    expect(await jobs.accept(draft)).toEqual({ outcome: 'insufficient_credits' });
    expect(await balanceOf(stores, client)).toBe(50);
    expect(await jobs.get(draft.jobId)).toBeUndefined();
    expect(await jobs.findByIdempotencyKey(client.keyId, 'too much')).toBeUndefined();
    expect(await ledger.list(client.accountId)).toHaveLength(1);
    const smaller = draftOf(client, { idempotencyKey: 'too much' });
    expect(await jobs.accept(smaller)).toMatchObject({ outcome: 'accepted' });
  });

  test('a spent idempotency key names the job it made, also when the balance is used up', async () => {
    const client = await newClient(stores);
    const first = draftOf(client, { idempotencyKey: 'k', imagesCharged: 50, bodyDigest: 'first' });
    await jobs.accept(first);
    const second = await jobs.accept(draftOf(client, { idempotencyKey: 'k', bodyDigest: 'second' }));
    expect(second).toEqual({ outcome: 'existing', jobId: first.jobId, bodyDigest: 'first' });
    expect(await balanceOf(stores, client)).toBe(0);
  });

  test('two keys may use the same idempotency key', async () => {
    const one = await newClient(stores);
    const two = await newClient(stores);
    await jobs.accept(draftOf(one, { idempotencyKey: 'same' }));
    const other = await jobs.accept(draftOf(two, { idempotencyKey: 'same' }));
    expect(other.outcome).toBe('accepted');
  });

  test('a voided job gives everything back and can not be accepted again', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client, { idempotencyKey: 'late', imagesCharged: 2 });
    await jobs.accept(draft);
    expect(await jobs.void(draft.jobId, draft.jobId)).toBe(true);
    expect(await jobs.void(draft.jobId, draft.jobId)).toBe(true);
    expect(await balanceOf(stores, client)).toBe(50);
    expect(await jobs.get(draft.jobId)).toBeUndefined();
    expect(await jobs.markAnswered(draft.jobId, randomUUID())).toBe('voided');
    expect(await jobs.fence(draft.jobId)).toBeUndefined();
    expect(await jobs.list(client.accountId, 10)).toEqual([]);
    expect(await jobs.findByIdempotencyKey(client.keyId, 'late')).toBeUndefined();
    expect(await jobs.accept(draft)).toEqual({ outcome: 'voided', jobId: draft.jobId });
    expect(await jobs.accept(draftOf(client, { idempotencyKey: 'late' }))).toMatchObject({
      outcome: 'accepted',
    });
  });

  test('a job voided before its acceptance arrives is never charged', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client);
    expect(await jobs.void(draft.jobId, draft.jobId)).toBe(true);
    expect(await jobs.accept(draft)).toEqual({ outcome: 'voided', jobId: draft.jobId });
    expect(await balanceOf(stores, client)).toBe(50);
  });

  test('a fence before the acceptance keeps it from charging, and one after it finds the job', async () => {
    const client = await newClient(stores);
    const [late, intime] = [draftOf(client), draftOf(client)];
    expect(await jobs.fence(late.jobId)).toBeUndefined();
    expect(await jobs.accept(late)).toEqual({ outcome: 'voided', jobId: late.jobId });
    await jobs.accept(intime);
    expect(await jobs.fence(intime.jobId)).toMatchObject({ id: intime.jobId, status: 'processing' });
    expect(await jobs.fence(intime.jobId)).toMatchObject({ id: intime.jobId });
    expect(await balanceOf(stores, client)).toBe(49);
  });

  test('a job refused for the balance and fenced stays refused when there is enough again', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client, { imagesCharged: 51 });
    expect(await jobs.accept(draft)).toEqual({ outcome: 'insufficient_credits' });
    expect(await jobs.fence(draft.jobId, true)).toBeUndefined();
    await stores.packs.add({ accountId: client.accountId, images: 100, reference: null });
    expect(await jobs.accept(draft)).toEqual({ outcome: 'insufficient_credits' });
    expect(await balanceOf(stores, client)).toBe(150);
  });

  test('a job that ended before it could be voided is undone as well', async () => {
    const client = await newClient(stores);
    const [done, failed] = [draftOf(client, { idempotencyKey: 'done' }), draftOf(client)];
    for (const draft of [done, failed]) await jobs.accept(draft);
    const results = [{ bucket: 'results' as const, key: `${client.accountId}/late.jpeg` }];
    await jobs.complete(done.jobId, { results, processingMs: 1 });
    await jobs.fail(failed.jobId, { error: 'No.', processingMs: null });
    for (const { jobId } of [done, failed]) expect(await jobs.void(jobId, jobId)).toBe(true);
    expect(await jobs.get(done.jobId)).toBeUndefined();
    expect(await jobs.findByIdempotencyKey(client.keyId, 'done')).toBeUndefined();
    expect(await balanceOf(stores, client)).toBe(50);
    expect(await ledger.audit(client.accountId)).toEqual([]);
    const { refs } = await stores.removals.pending('', 1000);
    expect(refs).toEqual(expect.arrayContaining([done.input, failed.input, ...results]));
  });

  test('a job is completed once, and not failed afterwards', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client);
    await jobs.accept(draft);
    const results = [{ bucket: 'results' as const, key: 'a/b-staged.jpeg' }];
    const { job: done } = await jobs.complete(draft.jobId, { results, processingMs: 1200 });
    expect(done).toMatchObject({ status: 'completed', results, processingMs: 1200, error: null });
    expect(done.completedAt).toBeInstanceOf(Date);
    expect(await jobs.complete(draft.jobId, { results: [], processingMs: 1 })).toMatchObject({ job: done });
    expect(await jobs.fail(draft.jobId, { error: 'No.', processingMs: null })).toMatchObject({ job: done });
    expect(await jobs.ended(draft.jobId)).toEqual({ job: done, delivery: null });
    expect(await balanceOf(stores, client)).toBe(49);
  });

  test('a failed job is refunded once and keeps what was charged', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client, { imagesCharged: 2 });
    await jobs.accept(draft);
    expect(await jobs.ended(draft.jobId)).toBeUndefined();
    const { job: failed } = await jobs.fail(draft.jobId, { error: 'The model refused.', processingMs: 300 });
    expect(failed).toMatchObject({ status: 'failed', error: 'The model refused.', imagesCharged: 2 });
    expect(failed).toMatchObject({ processingMs: 300, completedAt: expect.any(Date) });
    expect(await jobs.fail(draft.jobId, { error: 'Again.', processingMs: 1 })).toMatchObject({ job: failed });
    expect(await jobs.complete(draft.jobId, { results: [], processingMs: 1 })).toMatchObject({ job: failed });
    expect(await balanceOf(stores, client)).toBe(50);
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });

  test('a failure by what was sent is counted for the account, once, and no other failure is', async () => {
    const client = await newClient(stores);
    const failuresOf = async () => (await stores.accounts.get(client.accountId)).failures;
    const fail = async (clientFault?: boolean) => {
      const { jobId } = draftOf(client);
      await jobs.accept(draftOf(client, { jobId }));
      const end = { error: 'No.', processingMs: 1, ...(clientFault === undefined ? {} : { clientFault }) };
      const { job } = await jobs.fail(jobId, end);
      await jobs.fail(jobId, end);
      return job;
    };
    await fail();
    await fail(false);
    expect(await failuresOf()).toBeUndefined();
    expect(await fail(true)).not.toHaveProperty('clientFault');
    const first = await failuresOf();
    expect(first).toEqual({ since: expect.any(Date), jobs: 1 });
    await fail(true);
    expect(await failuresOf()).toEqual({ since: first?.since, jobs: 2 });
  });

  test('a job that does not exist neither completes nor fails', async () => {
    await expect(jobs.complete(randomUUID(), { results: [], processingMs: 1 })).rejects.toThrow(NotFound);
    await expect(jobs.fail(randomUUID(), { error: 'No.', processingMs: 1 })).rejects.toThrow(NotFound);
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

  test('a list holds the newest jobs of the account', async () => {
    const client = await newClient(stores);
    const drafts = [draftOf(client), draftOf(client), draftOf(client)];
    for (const draft of drafts) await jobs.accept(draft);
    expect((await jobs.list(client.accountId, 10)).map(({ id }) => id).sort()).toEqual(
      drafts.map(({ jobId }) => jobId).sort(),
    );
    expect(await jobs.list(client.accountId, 2)).toHaveLength(2);
  });
});
