import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { JobDraft, ObjectRef } from '../../../lib/domain/records.ts';
import { keyWorkflowId } from '../../../lib/protocol/workflow-ids.ts';
import type { RestoredJob } from '../../../lib/stores/job-store.ts';
import type { Stores } from '../../../lib/stores/stores.ts';
import { balanceOf, draftOf, newClient } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

const createdAt = new Date('2026-01-30T10:00:00.000Z');
const completedAt = new Date('2026-01-30T10:00:30.000Z');
const resultOf = ({ jobId }: JobDraft): ObjectRef => ({ bucket: 'results', key: `${jobId}.png` });
const completed = (draft: JobDraft): RestoredJob => ({
  createdAt,
  end: { completedAt, results: [resultOf(draft)], processingMs: 29_000, generator: 'bfl' },
});
const stored = async () => true;

describe.each(storesUnderTest())('a lost job: %s', (_name, stores: Stores) => {
  const { jobs, ledger } = stores;

  test('is restored as it was and charged once, however often', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client, { idempotencyKey: 'record-1', imagesCharged: 2 });
    const accepted = { outcome: 'accepted', jobId: draft.jobId, bodyDigest: draft.bodyDigest };
    const outcomes = await Promise.all([1, 2, 3].map(() => jobs.restore(draft, completed(draft), stored)));
    expect(outcomes).toEqual([accepted, accepted, accepted]);
    expect(await jobs.find(client.accountId, draft.jobId)).toMatchObject({
      status: 'completed',
      createdAt,
      completedAt,
      processingMs: 29_000,
      generator: 'bfl',
      results: [resultOf(draft)],
      inputs: [draft.input],
      idempotencyKey: 'record-1',
    });
    expect(await balanceOf(stores, client)).toBe(48);
    expect(await ledger.audit(client.accountId)).toEqual([]);
    expect((await jobs.findByIdempotencyKey(client.keyId, 'record-1'))?.jobId).toBe(draft.jobId);
  });

  test('whose key MongoDB has lost as well breaks no rule of the books, also once it is deleted', async () => {
    const { accountId } = await newClient(stores);
    const keyId = randomUUID();
    const workflowId = keyWorkflowId(keyId, 'digest');
    const draft = draftOf({ accountId, keyId }, { idempotencyKey: 'record-1', workflowId });
    await jobs.restore(draft, completed(draft), stored);
    const breaches = async () => (await ledger.audit()).filter((breach) => breach.includes(keyId));
    expect([await breaches(), await ledger.audit(accountId)]).toEqual([[], []]);
    await jobs.remove([draft.jobId]);
    expect([await breaches(), await ledger.audit(accountId)]).toEqual([[], []]);
  });

  test('that was processing can still be completed', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client);
    await jobs.restore(draft, { createdAt, end: null }, stored);
    await jobs.complete(draft.jobId, { results: [resultOf(draft)], processingMs: 1 });
    expect(await jobs.find(client.accountId, draft.jobId)).toMatchObject({ status: 'completed', createdAt });
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });

  test('is not charged when its key has another job, its balance is short, or it was fenced', async () => {
    const client = await newClient(stores);
    const again = draftOf(client, { idempotencyKey: 'record-2' });
    await jobs.accept(again);
    const draft = draftOf(client, { idempotencyKey: 'record-2' });
    expect(await jobs.restore(draft, completed(draft), stored)).toMatchObject({
      outcome: 'existing',
      jobId: again.jobId,
    });
    const dear = draftOf(client, { imagesCharged: 50 });
    expect((await jobs.restore(dear, completed(dear), stored)).outcome).toBe('insufficient_credits');
    const fenced = draftOf(client);
    await jobs.fence(fenced.jobId);
    expect((await jobs.restore(fenced, completed(fenced), stored)).outcome).toBe('voided');
    expect(await balanceOf(stores, client)).toBe(49);
    for (const { jobId } of [draft, dear, fenced]) expect(await jobs.get(jobId)).toBeUndefined();
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });

  test('is not charged when its result is gone or queued for removal', async () => {
    const client = await newClient(stores);
    const [gone, queued] = [draftOf(client), draftOf(client)];
    await stores.removals.enqueue([resultOf(queued)]);
    expect(await jobs.restore(gone, completed(gone), async () => false)).toEqual({ outcome: 'gone' });
    expect(await jobs.restore(queued, completed(queued), stored)).toEqual({ outcome: 'gone' });
    expect(await balanceOf(stores, client)).toBe(50);
  });

  test('either gets its result or the result is given up, whoever is first', async () => {
    const client = await newClient(stores);
    for (let n = 0; n < 10; n += 1) {
      const draft = draftOf(client);
      const result = resultOf(draft);
      await stores.orphans.record('results', { after: '', until: null }, [result.key], false);
      const [restored, given] = await Promise.all([
        jobs.restore(draft, completed(draft), stored),
        stores.orphans.enqueueRemovals([result]),
      ]);
      expect(given.length).toBe(restored.outcome === 'gone' ? 1 : 0);
      expect((await stores.orphans.due('results', 0, '', 10)).refs).toEqual([]);
    }
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });

  test('of an account that does not exist is not restored', async () => {
    const draft = draftOf({ accountId: randomUUID(), keyId: randomUUID() });
    const restored = jobs.restore(draft, completed(draft), stored).catch(() => ({ outcome: 'error' }));
    expect((await restored).outcome).not.toBe('accepted');
    expect(await jobs.get(draft.jobId)).toBeUndefined();
  });
});
