import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Acceptance } from '../../../lib/domain/records.ts';
import { balanceOf, draftOf, newClient, newKey } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

const outcomes = (acceptances: Acceptance[], outcome: Acceptance['outcome']) =>
  acceptances.filter((acceptance) => acceptance.outcome === outcome);

describe.each(storesUnderTest())('concurrent operations: %s', (_name, stores) => {
  const { accounts, jobs, ledger, packs } = stores;

  test('100 acceptances with a balance of 25 create 25 jobs', async () => {
    const client = await newClient(stores);
    await jobs.accept(draftOf(client, { imagesCharged: 25 }));
    const all = await Promise.all(Array.from({ length: 100 }, () => jobs.accept(draftOf(client))));
    expect(outcomes(all, 'accepted')).toHaveLength(25);
    expect(outcomes(all, 'insufficient_credits')).toHaveLength(75);
    expect(await balanceOf(stores, client)).toBe(0);
    expect(await jobs.list(client.accountId, 200)).toHaveLength(26);
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });

  test('100 acceptances with one idempotency key create one job', async () => {
    const client = await newClient(stores);
    const drafts = Array.from({ length: 100 }, () => draftOf(client, { idempotencyKey: 'one' }));
    const all = await Promise.all(drafts.map((draft) => jobs.accept(draft)));
    expect(outcomes(all, 'accepted')).toHaveLength(1);
    expect(outcomes(all, 'existing')).toHaveLength(99);
    expect(new Set(all.map((acceptance) => 'jobId' in acceptance && acceptance.jobId)).size).toBe(1);
    expect(await balanceOf(stores, client)).toBe(49);
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });

  test('concurrent acceptances of one job charge once', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client, { idempotencyKey: 'retried' });
    const all = await Promise.all(Array.from({ length: 20 }, () => jobs.accept(draft)));
    expect(outcomes(all, 'accepted')).toHaveLength(20);
    expect(await balanceOf(stores, client)).toBe(49);
  });

  test('repeated acceptances return the job on an exhausted balance, and do not charge again', async () => {
    const client = await newClient(stores);
    await jobs.accept(draftOf(client, { imagesCharged: 48 }));
    const [one, two] = [draftOf(client), draftOf(client)];
    const all = await Promise.all([one, two, one, two].map((draft) => jobs.accept(draft)));
    expect(outcomes(all, 'accepted')).toHaveLength(4);
    expect(await balanceOf(stores, client)).toBe(0);
    await packs.add({ accountId: client.accountId, images: 2, reference: null });
    const [three, four] = [draftOf(client), draftOf(client)];
    const later = await Promise.all([three, three, four].map((draft) => jobs.accept(draft)));
    expect(outcomes(later, 'accepted')).toHaveLength(3);
    expect(await balanceOf(stores, client)).toBe(0);
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });

  test('40 concurrent failures of one account are all refunded', async () => {
    const client = await newClient(stores);
    const drafts = Array.from({ length: 40 }, () => draftOf(client));
    await Promise.all(drafts.map((draft) => jobs.accept(draft)));
    const failure = {
      error: 'It failed.',
      failureReason: 'no_result' as const,
      processingMs: 1,
      counted: true,
    };
    const ended = await Promise.all(drafts.map(({ jobId }) => jobs.fail(jobId, failure)));
    expect(new Set(ended.map(({ job }) => job.status))).toEqual(new Set(['failed']));
    expect(await balanceOf(stores, client)).toBe(50);
    expect((await accounts.get(client.accountId)).failures?.jobs).toBe(40);
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });

  test('a void concurrent with the acceptance leaves no charge, in either order', async () => {
    const client = await newClient(stores);
    const drafts = Array.from({ length: 20 }, (_, n) => draftOf(client, { idempotencyKey: `late ${n}` }));
    await Promise.all(drafts.flatMap((draft) => [jobs.accept(draft), jobs.void(draft.jobId, draft.jobId)]));
    for (const draft of drafts) {
      expect(await jobs.get(draft.jobId)).toBeUndefined();
      expect(await jobs.accept(draft)).toEqual({ outcome: 'voided', jobId: draft.jobId });
    }
    expect(await balanceOf(stores, client)).toBe(50);
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });

  test('of a concurrent void and replay one wins, and the charge remains if it is the replay', async () => {
    const client = await newClient(stores);
    const drafts = Array.from({ length: 20 }, () => draftOf(client));
    for (const draft of drafts) await jobs.accept(draft);
    const races = await Promise.all(
      drafts.map(({ jobId }) =>
        Promise.all([jobs.void(jobId, jobId), jobs.recordReturned(jobId, randomUUID())]),
      ),
    );
    const replayed = races.filter(([, job]) => job !== 'voided').length;
    for (const [voided, job] of races) expect(voided).toBe(job === 'voided');
    expect(await balanceOf(stores, client)).toBe(50 - replayed);
  });

  test('concurrently issued first keys grant the free images once', async () => {
    const { id } = await accounts.create({ name: 'New', webhookUrl: null, webhookSecret: 'whsec_a' });
    const issued = await Promise.all(Array.from({ length: 10 }, () => newKey(stores, id)));
    expect(issued.map(({ granted }) => granted).sort()).toEqual([...Array(9).fill(0), 50]);
    expect((await accounts.get(id)).balance).toBe(50);
    expect(await ledger.audit(id)).toEqual([]);
  });

  test('concurrent refunds of a pack never exceed its images', async () => {
    const client = await newClient(stores);
    const { pack } = await packs.add({ accountId: client.accountId, images: 100, reference: null });
    const refunds = Array.from({ length: 10 }, () => packs.refund(pack.id, 30));
    const succeeded = (await Promise.allSettled(refunds)).filter(({ status }) => status === 'fulfilled');
    expect(succeeded).toHaveLength(3);
    expect(await balanceOf(stores, client)).toBe(60);
    expect(await packs.get(pack.id)).toMatchObject({ refunded: 90, refunds: 3 });
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });

  test('concurrent charges, refunds and packs keep the ledger consistent', async () => {
    const client = await newClient(stores);
    const failJob = async () => {
      const draft = draftOf(client);
      await jobs.accept(draft);
      await Promise.all(
        [1, 2].map(() =>
          jobs.fail(draft.jobId, { error: 'No.', failureReason: 'no_result', processingMs: null }),
        ),
      );
    };
    const buyPack = () => packs.add({ accountId: client.accountId, images: 10, reference: null });
    await Promise.all(Array.from({ length: 10 }, () => [failJob(), buyPack()]).flat());
    expect(await balanceOf(stores, client)).toBe(150);
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });
});
