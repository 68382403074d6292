import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { comparePack, type Purchase, readPurchases } from '../../../operator/after-restore/compare-packs.ts';
import { createFakeStores } from '../../fakes/stores.ts';
import { newClient } from '../../setup/records.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

async function read(text: string): Promise<Purchase[]> {
  const file = join(temporaryFolder(), 'packs.csv');
  writeFileSync(file, text);
  const purchases: Purchase[] = [];
  for await (const purchase of readPurchases(file)) purchases.push(purchase);
  return purchases;
}

test('the list of packs is read with or without a head, with quotes, and with line ends of Windows', async () => {
  const purchases = [
    { account: 'acme', images: 500, reference: 'INV-1' },
    { account: 'Zoë, Ltd', images: 1, reference: 'a "b"' },
  ];
  const lines = 'acme, 500 ,INV-1\r\n\r\n"Zoë, Ltd",1,"a ""b"""\r\n';
  expect(await read(lines)).toEqual(purchases);
  expect(await read(`\uFEFFaccount,images,reference\n${lines}`)).toEqual(purchases);
});

test.each([
  'acme,500',
  'acme,500,INV-1,x',
  ',1,INV-1',
  'acme,-5,INV-1',
  'acme,1.5,INV-1',
  'acme,,INV-1',
  'acme,1,',
  'acme,1,"INV-1',
  'acme,1,"INV\n-1"',
])('a line that cannot be read is named and ends the command: %s', async (line) => {
  await expect(read(`acme,1,INV-0\n${line}\n`)).rejects.toThrow('packs.csv:2: ');
});

test('a pack is found by its reference, and added once', async () => {
  const stores = createFakeStores();
  const { accountId } = await newClient(stores);
  const account = await stores.accounts.create({
    name: 'A',
    webhookUrl: null,
    webhookSecret: '',
    reference: 'acme',
  });
  const purchase = { account: 'acme', images: 5, reference: 'INV-1' };
  expect(await comparePack(stores, purchase, false)).toEqual({ ...purchase, reason: null, done: false });
  expect((await stores.accounts.get(account.id)).balance).toBe(0);
  expect(await comparePack(stores, purchase, true)).toMatchObject({ done: true });
  expect(await comparePack(stores, purchase, true)).toBeUndefined();
  expect((await stores.accounts.get(account.id)).balance).toBe(5);
  const other = await comparePack(stores, { ...purchase, images: 6 }, true);
  expect(other).toMatchObject({ done: false, reason: 'MongoDB has a pack of 5 images with this reference.' });
  expect(await comparePack(stores, { ...purchase, account: accountId }, true)).toMatchObject({ done: true });
  expect(await comparePack(stores, { ...purchase, account: 'none' }, true)).toMatchObject({
    done: false,
    reason: 'There is no account none.',
  });
});
