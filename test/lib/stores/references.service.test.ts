import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Refused } from '../../../lib/domain/errors.ts';
import { balanceOf, newClient } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

const CALLS = 20;

describe.each(storesUnderTest())('commands with a reference: %s', (_name, stores) => {
  const { accounts, keys, ledger, packs } = stores;

  const createAccount = (reference: string | null, changes = {}) =>
    accounts.create({ name: 'Acme', webhookUrl: null, webhookSecret: randomUUID(), reference, ...changes });
  const createKey = (accountId: string, reference: string | null, changes = {}) => {
    const key = {
      accountId,
      name: 'Production',
      digest: randomUUID(),
      hint: 'ija_abcd',
      retentionDays: null,
    };
    return keys.create({ ...key, reference, ...changes });
  };
  const callConcurrently = <T>(command: () => Promise<T>) =>
    Promise.all(Array.from({ length: CALLS }, command));

  test('concurrent and repeated calls create an account once', async () => {
    const reference = randomUUID();
    const created = await callConcurrently(() => createAccount(reference));
    expect(new Set(created.map(({ id }) => id)).size).toBe(1);
    expect(new Set(created.map(({ webhook }) => webhook.secret)).size).toBe(1);
    expect(await createAccount(reference)).toEqual(created[0]);
    expect((await createAccount(randomUUID())).id).not.toBe(created[0]?.id);
  });

  test('concurrent calls create a key once, with its grant', async () => {
    const { id } = await createAccount(null);
    const created = await callConcurrently(() => createKey(id, 'first'));
    expect(created.filter(({ repeated }) => repeated)).toHaveLength(CALLS - 1);
    expect(new Set(created.map(({ key }) => key.id)).size).toBe(1);
    expect(created.every(({ granted }) => granted === 50)).toBe(true);
    expect(await keys.list(id)).toEqual([created[0]?.key]);
    expect((await accounts.get(id)).balance).toBe(50);
  });

  test('a pack is added once, and a repeated call returns the first result', async () => {
    const client = await newClient(stores);
    const { accountId } = client;
    const add = () => packs.add({ accountId, images: 100, reference: 'INV-1' });
    const added = await callConcurrently(add);
    expect(added.filter(({ repeated }) => !repeated)).toHaveLength(1);
    const [{ pack } = await add()] = added;
    await packs.refund(pack.id, 30);
    expect(await add()).toEqual({ pack, balance: 150, repeated: true });
    expect(await balanceOf(stores, client)).toBe(120);
    expect(await ledger.audit(accountId)).toEqual([]);
  });

  test('a pack is refunded once, even if nothing is left for a second refund', async () => {
    const client = await newClient(stores);
    const { pack } = await packs.add({ ...client, images: 100, reference: null });
    const refund = () => packs.refund(pack.id, undefined, 'CREDIT-1');
    const refunds = await callConcurrently(refund);
    const [first] = refunds.filter(({ repeated }) => !repeated);
    expect(first).toMatchObject({ refunded: 100, balance: 50, pack: { refunded: 100, refunds: 1 } });
    for (const repeated of [...refunds, await refund()]) expect(repeated).toMatchObject({ ...first });
    expect(await balanceOf(stores, client)).toBe(50);
    expect(await ledger.audit(client.accountId)).toEqual([]);
  });

  test('a used reference with other arguments is refused and changes nothing', async () => {
    const reference = randomUUID();
    const { id: accountId } = await createAccount(reference);
    await createKey(accountId, 'a');
    const { pack } = await packs.add({ accountId, images: 100, reference: 'a' });
    await packs.refund(pack.id, 10, 'a');
    const other = await packs.add({ accountId, images: 100, reference: null });
    const refused: [command: () => Promise<unknown>, message: string][] = [
      [() => createAccount(reference, { name: 'Other' }), 'name Acme, not Other'],
      [() => createAccount(reference, { webhookUrl: 'https://a.example/' }), 'webhookUrl none, not https://'],
      [() => createKey(accountId, 'a', { name: 'Test' }), 'name Production, not Test'],
      [() => createKey(accountId, 'a', { retentionDays: 7 }), 'retentionDays none, not 7'],
      [() => packs.add({ accountId, images: 101, reference: 'a' }), 'images 100, not 101'],
      [() => packs.refund(pack.id, 11, 'a'), 'images 10, not 11'],
      [() => packs.refund(pack.id, undefined, 'a'), 'images 10, not none'],
      [() => packs.refund(other.pack.id, 10, 'a'), `pack ${pack.id}, not ${other.pack.id}`],
    ];
    for (const [command, message] of refused) {
      await expect(command()).rejects.toThrow(Refused);
      await expect(command()).rejects.toThrow(message);
    }
    expect(await keys.list(accountId)).toHaveLength(1);
    expect(await packs.list(accountId)).toHaveLength(2);
    expect((await accounts.get(accountId)).balance).toBe(240);
  });

  test('references are scoped to a command and an account', async () => {
    const [one, two] = [await newClient(stores), await newClient(stores)];
    const reference = randomUUID();
    const account = await createAccount(reference);
    const added = await Promise.all(
      [one, two].map((client) => packs.add({ ...client, images: 1, reference })),
    );
    expect(added.every(({ repeated }) => !repeated)).toBe(true);
    expect((await createKey(one.accountId, reference)).repeated).toBeUndefined();
    expect((await createKey(account.id, reference)).granted).toBe(50);
    expect((await packs.refund(added[0]?.pack.id ?? '', 1, reference)).repeated).toBeUndefined();
  });

  test('a refused command does not use up its reference', async () => {
    const client = await newClient(stores);
    const { pack } = await packs.add({ ...client, images: 10, reference: null });
    await expect(packs.refund(pack.id, 11, 'CREDIT-2')).rejects.toThrow(Refused);
    expect(await packs.refund(pack.id, 10, 'CREDIT-2')).toMatchObject({ refunded: 10, balance: 50 });
  });
});
