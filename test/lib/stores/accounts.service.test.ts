import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { NotFound } from '../../../lib/domain/errors.ts';
import { newClient, newKey } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

describe.each(storesUnderTest())('account and key stores: %s', (_name, stores) => {
  const { accounts, keys, settings } = stores;
  const newAccount = (webhookUrl: string | null = null) =>
    accounts.create({ name: 'Acme', webhookUrl, webhookSecret: 'whsec_first' });

  test('a new account is active, empty, and read back as created', async () => {
    const account = await newAccount('https://acme.example/hook');
    expect(account).toMatchObject({ name: 'Acme', status: 'active', balance: 0, seq: 0 });
    expect(account.webhook).toEqual({
      url: 'https://acme.example/hook',
      secret: 'whsec_first',
      previousSecret: null,
      previousUntil: null,
      disabledReason: null,
    });
    expect(await accounts.get(account.id)).toEqual(account);
    expect((await accounts.list(1000)).map(({ id }) => id)).toContain(account.id);
    expect(await accounts.list(1)).toHaveLength(1);
  });

  test('setWebhook changes only the given fields', async () => {
    const { id } = await newAccount();
    const { webhook } = await accounts.setWebhook(id, { url: 'https://acme.example/$secret' });
    expect(webhook).toMatchObject({ url: 'https://acme.example/$secret', secret: 'whsec_first' });
    const previousUntil = new Date('2026-12-01T00:00:00Z');
    const rotated = await accounts.setWebhook(id, { rotateTo: { secret: 'whsec_second', previousUntil } });
    expect(rotated.webhook).toEqual({
      url: 'https://acme.example/$secret',
      secret: 'whsec_second',
      previousSecret: 'whsec_first',
      previousUntil,
      disabledReason: null,
    });
    expect(await accounts.setWebhook(id, {})).toEqual(rotated);
    expect((await accounts.setWebhook(id, { url: null })).webhook).toEqual({ ...rotated.webhook, url: null });
    expect(await accounts.get(id)).toMatchObject({ webhook: { url: null, secret: 'whsec_second' } });
  });

  test('the first key grants the free images, later keys grant none', async () => {
    const { id } = await newAccount();
    expect((await newKey(stores, id)).granted).toBe(50);
    expect((await newKey(stores, id)).granted).toBe(0);
    expect(await accounts.get(id)).toMatchObject({ balance: 50, seq: 1 });
    expect(await stores.ledger.list(id)).toMatchObject([{ id: `grant:free50:${id}`, kind: 'grant' }]);
  });

  test('a caller is found by the digest of its key', async () => {
    const { id } = await newAccount();
    const digest = randomUUID();
    const { key } = await newKey(stores, id, digest);
    await keys.setRetention(key.id, 30);
    expect(await keys.findCaller(digest)).toEqual({
      keyId: key.id,
      keyName: 'Production',
      accountId: id,
      accountName: 'Acme',
      retentionDays: 30,
      revoked: false,
    });
    expect(await keys.findCaller('unknown')).toBeUndefined();
  });

  test('a digest is unique', async () => {
    const { accountId } = await newClient(stores);
    const digest = randomUUID();
    await newKey(stores, accountId, digest);
    await expect(newKey(stores, accountId, digest)).rejects.toThrow();
    expect(await keys.list(accountId)).toHaveLength(2);
  });

  test('revoking a key again keeps the first revocation time', async () => {
    const { id } = await newAccount();
    const digest = randomUUID();
    const { key } = await newKey(stores, id, digest);
    const revoked = await keys.revoke(key.id);
    expect(revoked.revokedAt).toBeInstanceOf(Date);
    expect(await keys.revoke(key.id)).toEqual(revoked);
    expect(await keys.findCaller(digest)).toMatchObject({ revoked: true });
    expect(await keys.isRevoked(key.id)).toBe(true);
    expect(await keys.list(id)).toEqual([revoked]);
  });

  test('disabling an account revokes all its keys, including those issued later, until it is enabled', async () => {
    const { id } = await newAccount();
    const digests = [randomUUID(), randomUUID()] as const;
    const { key } = await newKey(stores, id, digests[0]);
    expect(await keys.isRevoked(key.id)).toBe(false);
    await accounts.setStatus(id, 'disabled');
    expect(await keys.isRevoked(key.id)).toBe(true);
    await newKey(stores, id, digests[1]);
    expect(await accounts.get(id)).toMatchObject({ status: 'disabled' });
    for (const digest of digests) expect(await keys.findCaller(digest)).toMatchObject({ revoked: true });
    await accounts.setStatus(id, 'active');
    for (const digest of digests) expect(await keys.findCaller(digest)).toMatchObject({ revoked: false });
    expect([await keys.isRevoked(key.id), await keys.isRevoked('unknown')]).toEqual([false, true]);
  });

  test('unknown ids are rejected with NotFound', async () => {
    const id = randomUUID();
    const attempts = [
      accounts.get(id),
      accounts.setStatus(id, 'disabled'),
      accounts.setWebhook(id, { url: null }),
      newKey(stores, id),
      keys.revoke(id),
      keys.setRetention(id, 1),
    ];
    for (const attempt of await Promise.allSettled(attempts))
      expect(attempt).toMatchObject({ status: 'rejected', reason: expect.any(NotFound) });
  });

  test('the API is enabled by default and can be disabled', async () => {
    expect(await settings.apiEnabled()).toBe(true);
    await settings.setApiEnabled(false);
    expect(await settings.apiEnabled()).toBe(false);
    await settings.setApiEnabled(true);
    expect(await settings.apiEnabled()).toBe(true);
  });
});
