import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { deliveryIdOf, KEPT_TESTS, newDeliveryId, newTestDelivery } from '../../domain/delivery.ts';
import { signingSecrets } from '../../domain/webhook-secrets.ts';
import { storesUnderTest } from './under-test.ts';

const url = 'https://acme.example/hook';
const HOUR = 3600 * 1000;

describe.each(storesUnderTest())('deliveries that clients request: %s', (_name, stores) => {
  const { accounts, deliveries } = stores;
  const plan = (id: string, accountId: string = randomUUID()) =>
    deliveries.plan(newTestDelivery(id, accountId, url));

  test('a delivery that has ended is reopened once, in a new cycle', async () => {
    const { id } = await plan(newDeliveryId());
    expect(await deliveries.reopenEnded(id, 'second')).toBeUndefined();
    await deliveries.begin(id, 'first', { at: new Date(), url });
    await deliveries.close(id, 'first', { state: 'failed', reason: 'No.' });
    const cycles = ['second', 'third', 'fourth'];
    const reopened = await Promise.all(cycles.map((cycle) => deliveries.reopenEnded(id, cycle)));
    const [won, ...others] = reopened.filter((row) => row !== undefined);
    expect(others).toEqual([]);
    expect(won).toMatchObject({ state: 'pending', reason: null, tries: 0, attempts: [{ url }] });
    expect(await deliveries.find(id)).toEqual(won);
    expect(await deliveries.reopenEnded(deliveryIdOf(randomUUID()), 'second')).toBeUndefined();
  });

  test('of the test events of an account the latest are kept, and all other deliveries', async () => {
    const accountId = randomUUID();
    const event = { ...newTestDelivery(newDeliveryId(), accountId, url), type: 'job.completed' as const };
    await deliveries.plan({ ...event, jobId: randomUUID() });
    const foreign = await plan(newDeliveryId());
    const ids: string[] = [];
    for (let n = 0; n < KEPT_TESTS + 3; n += 1) {
      const { id, createdAt } = await plan(newDeliveryId(), accountId);
      ids.push(id);
      // Events of one millisecond go together.
      if (n < 4) await expect.poll(() => Date.now()).toBeGreaterThan(createdAt.getTime());
    }
    await deliveries.dropOldTests(accountId);
    const kept = (await deliveries.list(accountId, 1000)).map(({ id }) => id);
    expect([...kept].sort()).toEqual([event.id, ...ids.slice(3)].sort());
    expect(await deliveries.find(foreign.id)).toBeDefined();
    await deliveries.dropOldTests(accountId);
    expect(await deliveries.list(accountId, 1000)).toHaveLength(KEPT_TESTS + 1);
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
