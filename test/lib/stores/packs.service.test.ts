import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { NotFound, Refused } from '../../../lib/domain/errors.ts';
import { balanceOf, draftOf, newClient } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

describe.each(storesUnderTest())('pack and ledger stores: %s', (_name, stores) => {
  const { packs, jobs, ledger } = stores;

  async function clientWithPack(images: number) {
    const client = await newClient(stores);
    const { pack } = await packs.add({ accountId: client.accountId, images, reference: 'INV-1' });
    return { client, pack };
  }

  test('packs add to the balance', async () => {
    const { client, pack } = await clientWithPack(500);
    const second = await packs.add({ accountId: client.accountId, images: 100, reference: null });
    expect(second.balance).toBe(650);
    expect(await packs.list(client.accountId)).toEqual([pack, second.pack]);
    expect(await packs.get(pack.id)).toMatchObject({ images: 500, refunded: 0, reference: 'INV-1' });
    expect(await packs.list(randomUUID())).toEqual([]);
  });

  test('a pack can be refunded in parts, with one ledger row per refund', async () => {
    const { client, pack } = await clientWithPack(100);
    expect(await packs.refund(pack.id, 30)).toMatchObject({ refunded: 30, balance: 120 });
    const last = await packs.refund(pack.id);
    expect(last).toEqual({ pack: await packs.get(pack.id), refunded: 70, balance: 50 });
    expect(last.pack).toMatchObject({ images: 100, refunded: 100 });
    const rows = (await ledger.list(client.accountId)).slice(2);
    const common = { kind: 'pack-refund', packId: pack.id, jobId: null };
    expect(rows).toMatchObject([
      { ...common, id: `pack-refund:${pack.id}:1`, delta: -30, balanceAfter: 120, seq: 3 },
      { ...common, id: `pack-refund:${pack.id}:2`, delta: -70, balanceAfter: 50, seq: 4 },
    ]);
  });

  test('a refund of more than is left in the pack is refused and changes nothing', async () => {
    const { client, pack } = await clientWithPack(100);
    await packs.refund(pack.id, 60);
    await expect(packs.refund(pack.id, 41)).rejects.toThrow(Refused);
    await expect(packs.refund(pack.id, 41)).rejects.toThrow('has only 40 images left');
    expect(await balanceOf(stores, client)).toBe(90);
    await packs.refund(pack.id, 40);
    await expect(packs.refund(pack.id)).rejects.toThrow('already fully refunded');
    expect(await ledger.list(client.accountId)).toHaveLength(4);
  });

  test('a refund of more than the balance is refused and changes nothing', async () => {
    const { client, pack } = await clientWithPack(10);
    await jobs.accept(draftOf(client, { imagesCharged: 55 }));
    await expect(packs.refund(pack.id)).rejects.toThrow(Refused);
    await expect(packs.refund(pack.id)).rejects.toThrow('fewer than 10 images left');
    expect(await packs.get(pack.id)).toEqual(pack);
    expect(await packs.refund(pack.id, 5)).toMatchObject({ refunded: 5, balance: 0 });
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });

  test('hasPaid is true while a pack is not fully refunded', async () => {
    const client = await newClient(stores);
    expect(await packs.hasPaid(client.accountId)).toBe(false);
    const { pack: first } = await packs.add({ ...client, images: 10, reference: null });
    const { pack: second } = await packs.add({ ...client, images: 10, reference: null });
    await packs.refund(first.id);
    expect(await packs.hasPaid(client.accountId)).toBe(true);
    await packs.refund(second.id, 9);
    expect(await packs.hasPaid(client.accountId)).toBe(true);
    await packs.refund(second.id);
    expect(await packs.hasPaid(client.accountId)).toBe(false);
  });

  test('paidAmong has those of many accounts for which hasPaid is true', async () => {
    const [paid, refunded, none] = [
      await clientWithPack(10),
      await clientWithPack(10),
      await newClient(stores),
    ];
    await packs.refund(refunded.pack.id);
    const ids = [paid.client.accountId, refunded.client.accountId, none.accountId, randomUUID()];
    expect(await packs.paidAmong(ids)).toEqual(new Set([paid.client.accountId]));
    expect(await packs.paidAmong([])).toEqual(new Set());
  });

  test('unknown packs and accounts are rejected with NotFound', async () => {
    const id = randomUUID();
    await expect(packs.add({ accountId: id, images: 1, reference: null })).rejects.toThrow(NotFound);
    await expect(packs.get(id)).rejects.toThrow(NotFound);
    await expect(packs.refund(id)).rejects.toThrow(NotFound);
    expect(await packs.hasPaid(id)).toBe(false);
  });

  test('the ledger numbers its rows without gaps and sums to the balance', async () => {
    const { client, pack } = await clientWithPack(10);
    const [completed, failed, voided] = [draftOf(client), draftOf(client), draftOf(client)];
    for (const draft of [completed, failed, voided]) await jobs.accept(draft);
    await jobs.complete(completed.jobId, { results: [], processingMs: 1 });
    await jobs.fail(failed.jobId, { error: 'No.', failureReason: 'no_result', processingMs: 1 });
    await jobs.void(voided.jobId, voided.jobId);
    await packs.refund(pack.id, 4);
    const rows = await ledger.list(client.accountId);
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1));
    expect(rows.map(({ delta }) => delta)).toEqual([50, 10, -1, -1, -1, 1, 1, -4]);
    expect(rows.at(-1)?.balanceAfter).toBe(await balanceOf(stores, client));
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });
});
