import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { NotFound, Refused } from '../../../lib/domain/errors.ts';
import { collections } from '../../../lib/stores/mongo/documents.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import { databaseOfFile } from '../../setup/database.ts';
import { draftOf, newClient, newKey } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

describe.each(storesUnderTest())('renaming, crediting and closing an account: %s', (_name, stores) => {
  const { accounts, jobs, keys, ledger, packs } = stores;

  async function openAccount() {
    const { id } = await accounts.create({
      name: 'Acme',
      webhookUrl: 'https://acme.example/hook',
      webhookSecret: 'whsec_a',
    });
    const digest = randomUUID();
    const { key } = await newKey(stores, id, digest);
    return { accountId: id, keyId: key.id, digest };
  }

  test('a new name is that of the account for every key', async () => {
    const { accountId, digest } = await openAccount();
    expect(await accounts.rename(accountId, 'Acme Homes')).toMatchObject({
      id: accountId,
      name: 'Acme Homes',
    });
    expect(await accounts.get(accountId)).toMatchObject({ name: 'Acme Homes', balance: 50 });
    expect(await keys.findCaller(digest)).toMatchObject({ accountName: 'Acme Homes' });
    await expect(accounts.rename(randomUUID(), 'Nobody')).rejects.toThrow(NotFound);
  });

  test('a credit is posted once for its reference, with its reason, and is no pack', async () => {
    const { accountId } = await openAccount();
    const credit = { accountId, images: 5, reason: 'Late results', reference: 'T-1' };
    const [first, again] = [await ledger.credit(credit), await ledger.credit(credit)];
    expect(first).toEqual({ id: expect.stringMatching(/^credit:/), balance: 55 });
    expect(again).toEqual({ ...first, repeated: true });
    expect((await ledger.list(accountId)).at(-1)).toMatchObject({
      id: first.id,
      kind: 'credit',
      delta: 5,
      balanceAfter: 55,
      jobId: null,
      packId: null,
      reason: 'Late results',
    });
    expect(await packs.hasPaid(accountId)).toBe(false);
    expect(await ledger.audit(accountId)).toEqual([]);
    await expect(ledger.credit({ ...credit, images: 6 })).rejects.toThrow(Refused);
    await expect(ledger.credit({ ...credit, accountId: randomUUID() })).rejects.toThrow(NotFound);
  });

  test('a closed account has no keys, no endpoint and no balance, and its ledger explains that', async () => {
    const { accountId, digest } = await openAccount();
    expect(await accounts.close(accountId, 50)).toBe(50);
    expect(await accounts.get(accountId)).toMatchObject({
      status: 'closed',
      balance: 0,
      webhook: { url: null, secret: '' },
    });
    expect(await keys.findCaller(digest)).toMatchObject({ revoked: true });
    expect((await keys.list(accountId)).every(({ revokedAt }) => revokedAt !== null)).toBe(true);
    const rows = await ledger.list(accountId);
    expect(rows.map(({ id }) => id)).toEqual([`grant:free50:${accountId}`, `forfeit:${accountId}`]);
    expect(await ledger.audit(accountId)).toEqual([]);
    expect(await accounts.close(accountId, 50)).toBe(0);
    expect(await ledger.list(accountId)).toEqual(rows);
  });

  test('images that are left, and jobs in progress, keep an account open', async () => {
    const client = await newClient(stores);
    const { accountId } = client;
    await expect(accounts.close(accountId, 0)).rejects.toThrow('50 images left');
    const draft = draftOf(client);
    await jobs.accept(draft);
    await expect(accounts.close(accountId, 49)).rejects.toThrow('1 jobs in progress');
    expect(await accounts.get(accountId)).toMatchObject({ status: 'active', balance: 49 });
    await jobs.complete(draft.jobId, { results: [], processingMs: 1 });
    expect(await accounts.close(accountId, 49)).toBe(49);
    await expect(accounts.close(randomUUID(), 0)).rejects.toThrow(NotFound);
  });

  test('images that arrived after the balance was read keep an account open', async () => {
    const { accountId } = await openAccount();
    await packs.add({ accountId, images: 2500, reference: null });
    await expect(accounts.close(accountId, 50)).rejects.toThrow('2550 images left');
    expect(await accounts.get(accountId)).toMatchObject({ status: 'active', balance: 2550 });
  });

  test('a charge that is reversed after the closing is forfeited, and nothing can be spent', async () => {
    const client = await newClient(stores);
    const { accountId } = client;
    const draft = draftOf(client, { imagesCharged: 2 });
    await jobs.accept(draft);
    await jobs.complete(draft.jobId, { results: [], processingMs: 1 });
    await accounts.close(accountId, 48);
    expect(await jobs.void(draft.jobId, draft.jobId)).toBe(true);
    const posted = (await ledger.list(accountId))
      .slice(-2)
      .map((row) => [row.id, row.delta, row.balanceAfter]);
    expect(posted).toEqual([
      [`void:${draft.jobId}`, 2, 2],
      [`forfeit:${draft.jobId}`, -2, 0],
    ]);
    const next = draftOf(client);
    expect(await jobs.accept(next)).toEqual({ outcome: 'insufficient_credits', jobId: next.jobId });
    expect(await accounts.get(accountId)).toMatchObject({ status: 'closed', balance: 0 });
    expect(await ledger.audit(accountId)).toEqual([]);
  });

  test('a job and the closing of its account exclude each other', async () => {
    for (let round = 0; round < 5; round += 1) {
      const client = await newClient(stores);
      const [accepted, closed] = await Promise.all([
        jobs.accept(draftOf(client)),
        accounts.close(client.accountId, 50).then(
          () => true,
          () => false,
        ),
      ]);
      expect(closed).toBe(accepted.outcome === 'insufficient_credits');
      expect(await ledger.audit(client.accountId)).toEqual([]);
    }
  });

  test('nothing can be added to a closed account, and it cannot be enabled again', async () => {
    const { accountId } = await openAccount();
    await accounts.close(accountId, 50);
    const refused = [
      () => accounts.setStatus(accountId, 'active'),
      () => accounts.setWebhook(accountId, { url: 'https://acme.example/hook' }),
      () => newKey(stores, accountId),
      () => packs.add({ accountId, images: 10, reference: null }),
      () => ledger.credit({ accountId, images: 1, reason: 'Goodwill' }),
    ];
    for (const change of refused) await expect(change()).rejects.toThrow('is closed for good');
    expect(await accounts.get(accountId)).toMatchObject({ status: 'closed', balance: 0 });
  });
});

describe('in MongoDB', () => {
  const mongo = databaseOfFile();
  const stores = createMongoStores(mongo);

  test('the charge of a job is forfeited or given back, whatever the order of its reversal and the closing', async () => {
    const { accounts, jobs, ledger } = stores;
    for (let round = 0; round < 10; round += 1) {
      const client = await newClient(stores);
      const { accountId } = client;
      const draft = draftOf(client);
      await jobs.accept(draft);
      await jobs.complete(draft.jobId, { results: [], processingMs: 1 });
      const [closed] = await Promise.all([
        accounts.close(accountId, 49).then(
          () => true,
          () => false,
        ),
        jobs.void(draft.jobId, draft.jobId),
      ]);
      expect((await accounts.get(accountId)).balance).toBe(closed ? 0 : 50);
      expect(await ledger.audit(accountId)).toEqual([]);
    }
  });

  test('a balance on a closed account cannot be spent, and the audit reports it', async () => {
    const client = await newClient(stores);
    const { accountId } = client;
    await collections(mongo.db).accounts.updateOne({ _id: accountId }, { $set: { status: 'closed' } });
    const draft = draftOf(client);
    const { jobId } = draft;
    expect(await stores.jobs.accept(draft)).toEqual({ outcome: 'insufficient_credits', jobId });
    expect(await stores.ledger.audit(accountId)).toEqual([
      `account ${accountId}: the account is closed, but the balance is 50`,
    ]);
  });
});
