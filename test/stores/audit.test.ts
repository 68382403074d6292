import { expect, test } from 'vitest';
import type { LedgerRow } from '../../domain/records.ts';
import { createFakeStores } from '../fakes/stores.ts';
import { draftOf, newClient } from '../setup/records.ts';

/** Audits valid books after `corrupt` has changed them. */
async function auditAfter(corrupt: (context: Awaited<ReturnType<typeof validBooks>>) => void) {
  const context = await validBooks();
  expect(await context.stores.ledger.audit()).toEqual([]);
  corrupt(context);
  return context.stores.ledger.audit(context.client.accountId);
}

/** A grant, a pack, a charged job, and a job that was charged and refunded. */
async function validBooks() {
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

test('a balance that differs from the ledger', async () => {
  const breaches = await auditAfter(({ account }) => Object.assign(account ?? {}, { balance: 1000 }));
  expect(breaches).toEqual(sentences('the balance is 1000, but the ledger ends at 59'));
});

test('a missing row', async () => {
  const breaches = await auditAfter(({ books, client }) =>
    books.ledger.delete(`grant:free50:${client.accountId}`),
  );
  expect(breaches).toContainEqual(expect.stringContaining('has number 2, expected 1'));
  expect(breaches).toContainEqual(expect.stringContaining('has the balance 60, expected 10'));
});

test('a missing last row', async () => {
  const breaches = await auditAfter(({ books, failed }) => books.ledger.delete(`refund:${failed.jobId}`));
  expect(breaches).toContainEqual(expect.stringContaining('failed without a refund'));
  expect(breaches).toContainEqual(expect.stringContaining('counts 5 rows, but the last row is number 4'));
});

test('a negative balance in a row', async () => {
  const breaches = await auditAfter(({ row, client }) =>
    Object.assign(row(`grant:free50:${client.accountId}`), { delta: -5, balanceAfter: -5 }),
  );
  expect(breaches).toContainEqual(expect.stringContaining('has a negative balance'));
});

test('a job without its charge', async () => {
  const breaches = await auditAfter(({ row, charged }) =>
    Object.assign(row(`charge:${charged.jobId}`), { jobId: null }),
  );
  expect(breaches).toEqual(sentences('has 0 charges of 0 in sum, expected one of 1'));
});

test('a charge of a job that does not exist', async () => {
  const breaches = await auditAfter(({ books, charged }) => books.jobs.delete(charged.jobId));
  expect(breaches).toEqual([expect.stringMatching(/job .+ does not exist, but its rows sum to -1/)]);
});

test('a completed job that was refunded', async () => {
  const breaches = await auditAfter(({ books, failed }) =>
    Object.assign(books.jobs.get(failed.jobId) ?? {}, { status: 'completed' }),
  );
  expect(breaches).toEqual(sentences('is completed but was refunded'));
});

test('a pack with a refund that was not posted, and a pack that does not exist', async () => {
  const unposted = await auditAfter(({ books, pack }) =>
    Object.assign(books.packs.get(pack.id) ?? {}, { refunded: 4 }),
  );
  expect(unposted).toEqual(sentences('has 6 images left, but its rows sum to 10'));
  const missing = await auditAfter(({ books, pack }) => books.packs.delete(pack.id));
  expect(missing).toEqual(sentences('does not exist, but its rows sum to 10'));
});

test('an audit of one account ignores the others', async () => {
  const { stores, account } = await validBooks();
  const other = await newClient(stores);
  Object.assign(account ?? {}, { balance: 1 });
  expect(await stores.ledger.audit(other.accountId)).toEqual([]);
  expect(await stores.ledger.audit()).toHaveLength(1);
});
