import { expect, test } from 'vitest';
import type { LedgerRow } from '../../stores/records.ts';
import { createFakeStores } from '../fakes/stores.ts';
import { draftOf, newClient } from './under-test.ts';

/** Books with a grant, a pack, a charge, and a job charged and refunded; then spoiled. */
async function auditAfter(spoil: (found: Awaited<ReturnType<typeof rightBooks>>) => void) {
  const found = await rightBooks();
  expect(await found.stores.ledger.audit()).toEqual([]);
  spoil(found);
  return found.stores.ledger.audit(found.client.accountId);
}

async function rightBooks() {
  const stores = createFakeStores();
  const client = await newClient(stores);
  const { pack } = await stores.packs.add({ ...client, images: 10, reference: null });
  const [charged, failed] = [draftOf(client), draftOf(client)];
  await stores.jobs.accept(charged);
  await stores.jobs.accept(failed);
  await stores.jobs.fail(failed.jobId, { error: 'No.', processingMs: null });
  const { books } = stores;
  const account = books.accounts.get(client.accountId);
  const row = (id: string): LedgerRow => {
    const found = books.ledger.get(id);
    if (found === undefined) throw new Error(`no row ${id}`);
    return found;
  };
  return { stores, books, client, account, pack, charged, failed, row };
}

const sentences = (...texts: string[]) => texts.map((text) => expect.stringContaining(text));

test('a balance that the ledger does not explain', async () => {
  const breaches = await auditAfter(({ account }) => Object.assign(account ?? {}, { balance: 1000 }));
  expect(breaches).toEqual(sentences('the balance is 1000, but the ledger ends at 59'));
});

test('a row that is gone', async () => {
  const breaches = await auditAfter(({ books, client }) =>
    books.ledger.delete(`grant:free50:${client.accountId}`),
  );
  expect(breaches).toContainEqual(expect.stringContaining('is number 2, not 1'));
  expect(breaches).toContainEqual(expect.stringContaining('says 60, but the sum is 10'));
});

test('a last row that is gone', async () => {
  const breaches = await auditAfter(({ books, failed }) => books.ledger.delete(`refund:${failed.jobId}`));
  expect(breaches).toContainEqual(expect.stringContaining('failed without a refund'));
  expect(breaches).toContainEqual(expect.stringContaining('counts 5 rows, but the last row is number 4'));
});

test('a balance below zero on the way', async () => {
  const breaches = await auditAfter(({ row, client }) =>
    Object.assign(row(`grant:free50:${client.accountId}`), { delta: -5, balanceAfter: -5 }),
  );
  expect(breaches).toContainEqual(expect.stringContaining('takes the balance below zero'));
});

test('a job without its charge', async () => {
  const breaches = await auditAfter(({ row, charged }) =>
    Object.assign(row(`charge:${charged.jobId}`), { jobId: null }),
  );
  expect(breaches).toEqual(sentences('has 0 charges'));
});

test('a charge that stands without a job', async () => {
  const breaches = await auditAfter(({ books, charged }) => books.jobs.delete(charged.jobId));
  expect(breaches).toEqual([expect.stringMatching(/a charge stands for job .+, which does not exist/)]);
});

test('a completed job that was refunded', async () => {
  const breaches = await auditAfter(({ books, failed }) =>
    Object.assign(books.jobs.get(failed.jobId) ?? {}, { status: 'completed' }),
  );
  expect(breaches).toEqual(sentences('is completed, but was refunded'));
});

test('a pack whose refund was not posted, and one that does not exist', async () => {
  const spoiled = await auditAfter(({ books, pack }) =>
    Object.assign(books.packs.get(pack.id) ?? {}, { refunded: 4 }),
  );
  expect(spoiled).toEqual(sentences('has 6 images left, but 10 are posted for it'));
  const lost = await auditAfter(({ books, pack }) => books.packs.delete(pack.id));
  expect(lost).toEqual(sentences('10 images stand for pack'));
});

test('the books of one account say nothing of another', async () => {
  const { stores, account } = await rightBooks();
  const other = await newClient(stores);
  Object.assign(account ?? {}, { balance: 1 });
  expect(await stores.ledger.audit(other.accountId)).toEqual([]);
  expect(await stores.ledger.audit()).toHaveLength(1);
});
