import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { deliveryIdOf, KEPT_TESTS, newDeliveryId, newTestDelivery } from '../../../lib/domain/delivery.ts';
import { NotFound } from '../../../lib/domain/errors.ts';
import { signingSecrets } from '../../../lib/domain/webhook-secrets.ts';
import { storesUnderTest } from './under-test.ts';

const url = 'https://acme.example/hook';
const HOUR = 3600 * 1000;

describe.each(storesUnderTest())('deliveries that clients request: %s', (_name, stores) => {
  const { accounts, deliveries } = stores;
  const plan = (id: string, accountId: string = randomUUID()) =>
    deliveries.plan(newTestDelivery(id, accountId, url));

  test('a delivery that has ended is reopened once, in a new cycle', async () => {
    const { id, cycle: first } = await plan(newDeliveryId());
    expect(await deliveries.reopen(id, 'second', first)).toMatchObject({ cycle: first });
    await deliveries.begin(id, 'first', { at: new Date(), url });
    await deliveries.close(id, 'first', { state: 'failed', reason: 'No.' });
    const cycles = ['second', 'third', 'fourth'];
    const reopened = await Promise.all(cycles.map((cycle) => deliveries.reopen(id, cycle, first)));
    const won = reopened.filter((row, n) => row.cycle === cycles[n]);
    expect(won).toHaveLength(1);
    expect(won[0]).toMatchObject({ state: 'pending', reason: null, tries: 0, attempts: [{ url }] });
    const { cycle } = won[0] ?? { cycle: '' };
    expect(await deliveries.reopen(id, cycle, first)).toEqual(won[0]);
    await deliveries.close(id, cycle, { state: 'failed', reason: 'No.' });
    expect(await deliveries.reopen(id, 'late', first)).toMatchObject({ cycle, state: 'failed' });
    await expect(deliveries.reopen(deliveryIdOf(randomUUID()), 'second', first)).rejects.toThrow(NotFound);
  });

  test('of the test events of an account the latest are kept, and all other deliveries', async () => {
    const accountId = randomUUID();
    const event = { ...newTestDelivery(newDeliveryId(), accountId, url), type: 'job.completed' as const };
    await deliveries.plan({ ...event, jobId: randomUUID() });
    const foreign = await plan(newDeliveryId());
    const ids: string[] = [];
    const end = { state: 'failed', reason: 'No.' } as const;
    const pending = await plan(newDeliveryId(), accountId);
    for (let n = 0; n < KEPT_TESTS + 3; n += 1) {
      const { id, createdAt } = await plan(newDeliveryId(), accountId);
      await deliveries.close(id, 'first', end);
      ids.push(id);
      // Events of one millisecond go together.
      if (n < 4) await expect.poll(() => Date.now()).toBeGreaterThan(createdAt.getTime());
    }
    await deliveries.dropOldTests(accountId);
    const kept = (await deliveries.list(accountId, 1000)).map(({ id }) => id);
    expect([...kept].sort()).toEqual([event.id, pending.id, ...ids.slice(3)].sort());
    expect(await deliveries.find(foreign.id)).toBeDefined();
    await deliveries.dropOldTests(accountId);
    expect(await deliveries.list(accountId, 1000)).toHaveLength(KEPT_TESTS + 2);
  });

  test('a change of an endpoint that has changed since it was read does nothing', async () => {
    const { id, webhook } = await accounts.create({
      name: 'Acme',
      webhookUrl: url,
      webhookSecret: 'whsec_a',
    });
    const rotateTo = { secret: 'whsec_b', previousUntil: new Date() };
    const rotated = await accounts.changeWebhook(id, webhook, { rotateTo });
    expect(rotated?.webhook.secret).toBe('whsec_b');
    expect(
      await accounts.changeWebhook(id, webhook, { rotateTo: { ...rotateTo, secret: 'whsec_c' } }),
    ).toBeUndefined();
    const from = { url, secret: 'whsec_b' };
    expect((await accounts.changeWebhook(id, from, { url: null }))?.webhook.url).toBeNull();
    expect(await accounts.changeWebhook(id, from, { url })).toBeUndefined();
    expect((await accounts.get(id)).webhook).toMatchObject({ url: null, secret: 'whsec_b' });
  });

  test('an endpoint is disabled only while it has been failing since the given time', async () => {
    const { id } = await accounts.create({ name: 'Acme', webhookUrl: url, webhookSecret: 'whsec_a' });
    const since = new Date(Date.now() - HOUR);
    const disable = () =>
      accounts.recordEndpointHealth(id, url, { disabledReason: 'It fails.', ifFailingSince: since });
    await disable();
    await accounts.recordEndpointHealth(id, url, { failingSince: since });
    await accounts.setWebhook(id, { url });
    await disable();
    expect((await accounts.get(id)).webhook.disabledReason).toBeNull();
    await accounts.recordEndpointHealth(id, url, { failingSince: since });
    await disable();
    expect((await accounts.get(id)).webhook.disabledReason).toBe('It fails.');
  });

  test('failed cycles of an endpoint are counted one after another, and from its first failure on', async () => {
    const { id } = await accounts.create({ name: 'Acme', webhookUrl: url, webhookSecret: 'whsec_a' });
    const hour = (n: number) => new Date(n * HOUR);
    const endpoint = async () => (await accounts.get(id)).webhook;
    const fail = async (from: number, until: number) => {
      const failedCycle = { from: hour(from), until: hour(until) };
      await accounts.recordEndpointHealth(id, url, { failedCycle });
      return (await endpoint()).failedCycles;
    };
    expect(await fail(1, 2)).toBeUndefined();
    await accounts.recordEndpointHealth(id, url, { failingSince: hour(2) });
    await accounts.recordEndpointHealth(id, url, { failingSince: hour(3) });
    expect((await endpoint()).failingSince).toEqual(hour(2));
    expect(await fail(1, 4)).toBeUndefined();
    expect(await fail(2, 5)).toEqual({ count: 1, until: hour(5) });
    expect(await fail(2, 6)).toEqual({ count: 1, until: hour(5) });
    expect(await fail(4, 6)).toEqual({ count: 1, until: hour(5) });
    expect(await fail(5, 7)).toEqual({ count: 2, until: hour(7) });
    await accounts.recordEndpointHealth(id, url, 'healthy');
    expect(await endpoint()).not.toHaveProperty('failedCycles');
  });

  test('a secret that was rotated out stays valid for its time, also after further rotations', async () => {
    const { id } = await accounts.create({ name: 'Acme', webhookUrl: url, webhookSecret: 'whsec_a' });
    const now = Date.now();
    const rotate = (secret: string, hours: number, keep: { keepOlder?: true } = { keepOlder: true }) =>
      accounts.setWebhook(id, { rotateTo: { secret, previousUntil: new Date(now + hours * HOUR), ...keep } });
    await rotate('whsec_b', 1);
    await rotate('whsec_c', -1);
    const { webhook } = await rotate('whsec_d', 2);
    expect(webhook.olderSecrets).toEqual([{ secret: 'whsec_a', until: new Date(now + HOUR) }]);
    expect(signingSecrets(webhook, new Date(now))).toEqual(['whsec_d', 'whsec_c', 'whsec_a']);
    expect(signingSecrets(webhook, new Date(now + 1.5 * HOUR))).toEqual(['whsec_d', 'whsec_c']);
    expect((await accounts.setWebhook(id, { url: null })).webhook).toEqual({ ...webhook, url: null });
    await rotate('whsec_e', 3);
    expect((await accounts.get(id)).webhook.olderSecrets?.map(({ secret }) => secret)).toEqual([
      'whsec_c',
      'whsec_a',
    ]);
    expect((await rotate('whsec_f', 1, {})).webhook).not.toHaveProperty('olderSecrets');
  });
});
