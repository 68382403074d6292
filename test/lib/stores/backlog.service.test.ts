import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { DeliveryEnd } from '../../../lib/stores/delivery-store.ts';
import { newClient } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

describe.each(storesUnderTest())('the backlog in %s', (_, stores) => {
  test('of removals has their number and the oldest, which a failed try does not make younger', async () => {
    const refs = ['a', 'b'].map((key) => ({ bucket: 'inputs' as const, key: `${randomUUID()}/${key}` }));
    expect(await stores.removals.backlog()).toEqual({ count: 0, oldest: null });
    await stores.removals.enqueue(refs);
    const { count, oldest } = await stores.removals.backlog();
    expect([count, oldest]).toEqual([2, expect.any(Date)]);
    await stores.removals.enqueue(refs);
    await stores.removals.markRemoved(
      refs,
      refs.slice(1).map((ref) => ({ ref, reason: 'Access denied.' })),
    );
    expect(await stores.removals.backlog()).toEqual({ count: 1, oldest });
    await stores.removals.markRemoved(refs, []);
    expect(await stores.removals.backlog()).toEqual({ count: 0, oldest: null });
  });

  test('of webhooks has the oldest that is pending', async () => {
    const { accountId } = await newClient(stores);
    const planned = { accountId, type: 'job.completed', target: 'job', url: 'https://a.test' } as const;
    const plan = (id: string) => stores.deliveries.plan({ id, jobId: id, cycle: 'first', ...planned });
    expect(await stores.deliveries.oldestPending()).toBeNull();
    const [oldest, newest] = [await plan(randomUUID()), await plan(randomUUID())];
    expect(await stores.deliveries.oldestPending()).toEqual(oldest.createdAt);
    const end: DeliveryEnd = { state: 'cancelled', reason: 'The job was deleted.' };
    await stores.deliveries.close(oldest.id, 'first', end);
    expect(await stores.deliveries.oldestPending()).toEqual(newest.createdAt);
    await stores.deliveries.close(newest.id, 'first', end);
    expect(await stores.deliveries.oldestPending()).toBeNull();
  });
});
