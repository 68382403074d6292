import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { NotFound, Refused } from '../../../lib/domain/errors.ts';
import { newClient, newKey } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

describe.each(storesUnderTest())('scopes of keys: %s', (_name, stores) => {
  const { keys } = stores;

  test('a key is limited, found with its limit, and freed of it', async () => {
    const { accountId } = await newClient(stores);
    const digest = randomUUID();
    const { key } = await newKey(stores, accountId, digest);
    expect(key).not.toHaveProperty('scopes');
    expect(await keys.setScopes(key.id, ['jobs', 'account'])).toEqual({
      ...key,
      scopes: ['jobs', 'account'],
    });
    expect(await keys.findCaller(digest)).toMatchObject({ scopes: ['jobs', 'account'] });
    expect(await keys.setScopes(key.id, ['webhooks'])).toMatchObject({ scopes: ['webhooks'] });
    expect(await keys.setScopes(key.id, null)).toEqual(key);
    expect(await keys.findCaller(digest)).not.toHaveProperty('scopes');
    await expect(keys.setScopes(randomUUID(), null)).rejects.toThrow(NotFound);
  });

  test('a key is created with a limit, which belongs to the arguments of its reference', async () => {
    const { accountId } = await newClient(stores);
    const base = { accountId, name: 'CI', hint: 'ija_abcd', retentionDays: null, reference: 'ci' };
    const asked = () => ({ ...base, digest: randomUUID() });
    const first = await keys.create({ ...asked(), scopes: ['jobs'] });
    expect(first.key.scopes).toEqual(['jobs']);
    expect(await keys.create({ ...asked(), scopes: ['jobs'] })).toMatchObject({
      key: first.key,
      repeated: true,
    });
    await expect(keys.create(asked())).rejects.toThrow(Refused);
  });
});
