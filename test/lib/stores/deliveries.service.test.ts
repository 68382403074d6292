import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { deliveryIdOf, KEPT_ATTEMPTS } from '../../../lib/domain/delivery.ts';
import { NotFound } from '../../../lib/domain/errors.ts';
import type { NewDelivery } from '../../../lib/stores/delivery-store.ts';
import { draftOf, newClient } from '../../setup/records.ts';
import { storesUnderTest } from './under-test.ts';

const url = 'https://acme.example/hook';
const moment = (n: number) => new Date(Date.UTC(2026, 10, 1, 0, 0, n));
const attempt = (n: number, status: number, responseBody = 'ok') => ({
  at: moment(n),
  url,
  status,
  ms: 12,
  error: null,
  responseBody,
});

describe.each(storesUnderTest())('delivery store: %s', (_name, stores) => {
  const { accounts, deliveries, jobs } = stores;

  async function planned(accountId: string = randomUUID(), jobId: string = randomUUID()) {
    const delivery: NewDelivery = {
      id: deliveryIdOf(jobId),
      accountId,
      jobId,
      type: 'job.completed',
      target: 'account',
      url,
      cycle: 'first',
    };
    return deliveries.plan(delivery);
  }

  test('a delivery is stored once and read back', async () => {
    const delivery = await planned();
    expect(delivery).toMatchObject({ state: 'pending', reason: null, tries: 0, attempts: [] });
    const { accountId, jobId } = delivery;
    await deliveries.begin(delivery.id, 'first', { at: moment(1), url });
    const again = await planned(accountId, jobId ?? '');
    expect(again).toMatchObject({ createdAt: delivery.createdAt, tries: 1 });
    expect(await deliveries.list(accountId, 10)).toEqual([again]);
    expect(await deliveries.find('msg_none')).toBeUndefined();
  });

  test('an attempt is in the log from its start, and then with its outcome', async () => {
    const { id } = await planned();
    const begun = await deliveries.begin(id, 'first', { at: moment(1), url });
    expect(begun?.attempts).toEqual([
      {
        at: moment(1),
        url,
        status: null,
        ms: null,
        error: expect.stringContaining('No outcome'),
        responseBody: null,
      },
    ]);
    await deliveries.record(id, 'first', attempt(1, 503), { state: 'pending', nextAttemptAt: moment(6) });
    expect(await deliveries.find(id)).toMatchObject({ state: 'pending', nextAttemptAt: moment(6), tries: 1 });
    await deliveries.begin(id, 'first', { at: moment(6), url });
    await deliveries.record(id, 'first', attempt(6, 200), { state: 'delivered' });
    expect(await deliveries.find(id)).toMatchObject({
      state: 'delivered',
      nextAttemptAt: null,
      attempts: [attempt(1, 503), attempt(6, 200)],
    });
  });

  test('only the current cycle can attempt a delivery, and only while it is pending', async () => {
    const { id } = await planned();
    expect(await deliveries.begin(id, 'other', { at: moment(1), url })).toBeUndefined();
    await deliveries.begin(id, 'first', { at: moment(1), url });
    expect(await deliveries.reopen(id, 'second')).toMatchObject({ cycle: 'second', tries: 0 });
    await deliveries.record(id, 'first', attempt(1, 500), { state: 'failed', reason: 'exhausted' });
    expect(await deliveries.find(id)).toMatchObject({
      state: 'pending',
      reason: null,
      attempts: [{ status: 500 }],
    });
    expect(await deliveries.begin(id, 'first', { at: moment(2), url })).toBeUndefined();
    await deliveries.close(id, 'first', { state: 'cancelled', reason: 'late' });
    await deliveries.begin(id, 'second', { at: moment(3), url });
    expect(await deliveries.reopen(id, 'second')).toMatchObject({ tries: 1 });
    await deliveries.close(id, 'second', { state: 'cancelled', reason: 'enough' });
    expect(await deliveries.begin(id, 'second', { at: moment(4), url })).toBeUndefined();
    expect(await deliveries.find(id)).toMatchObject({ state: 'cancelled', reason: 'enough' });
    await expect(deliveries.reopen('msg_none', 'x')).rejects.toThrow(NotFound);
  });

  test('the log of one delivery is bounded', async () => {
    const { id } = await planned();
    for (let n = 0; n < KEPT_ATTEMPTS + 3; n += 1)
      await deliveries.begin(id, 'first', { at: moment(n), url });
    const { tries, attempts } = (await deliveries.find(id)) ?? {};
    expect([tries, attempts?.length, attempts?.[0]?.at]).toEqual([
      KEPT_ATTEMPTS + 3,
      KEPT_ATTEMPTS,
      moment(3),
    ]);
  });

  test('a list contains the deliveries of one account, the newest first', async () => {
    const accountId = randomUUID();
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.unshift((await planned(accountId)).id);
      await expect
        .poll(() => Date.now())
        .toBeGreaterThan((await deliveries.list(accountId, 1))[0]?.createdAt.getTime() ?? 0);
    }
    await planned();
    expect((await deliveries.list(accountId, 10)).map(({ id }) => id)).toEqual(ids);
    expect(await deliveries.list(accountId, 2)).toHaveLength(2);
  });

  test('deleting a job cancels its pending delivery and clears URLs and responses', async () => {
    const client = await newClient(stores);
    const draft = draftOf(client);
    await jobs.accept(draft);
    await jobs.complete(draft.jobId, { results: [], processingMs: 1 });
    const { id } = await planned(client.accountId, draft.jobId);
    await deliveries.begin(id, 'first', { at: moment(1), url });
    await deliveries.record(id, 'first', attempt(1, 500, 'secret'), {
      state: 'pending',
      nextAttemptAt: moment(6),
    });
    await deliveries.begin(id, 'first', { at: moment(6), url });
    await jobs.remove([draft.jobId]);
    await deliveries.record(id, 'first', attempt(6, 200, 'secret'), { state: 'delivered' });
    const row = await deliveries.find(id);
    expect(row).toMatchObject({ state: 'cancelled', reason: 'The job was deleted.', url: null });
    expect(row?.attempts).toMatchObject([
      { status: 500, url: null, responseBody: null },
      { status: 200, url: null, responseBody: null },
    ]);
  });

  test('a job that is completed and deleted concurrently leaves no URL and no pending delivery', async () => {
    const client = await newClient(stores);
    await accounts.setWebhook(client.accountId, { url });
    const drafts = Array.from({ length: 25 }, () => draftOf(client));
    for (const draft of drafts) await jobs.accept(draft);
    await Promise.all(
      drafts.flatMap(({ jobId }) => [
        jobs.complete(jobId, { results: [], processingMs: 1 }),
        jobs.remove([jobId]),
      ]),
    );
    await jobs.remove(drafts.map(({ jobId }) => jobId));
    const rows = await deliveries.list(client.accountId, 100);
    expect(rows.map(({ state, url }) => ({ state, url }))).toEqual(
      drafts.map(() => ({ state: 'cancelled', url: null })),
    );
  });

  test('ending a job creates its delivery, to webhook_url or else to the account endpoint', async () => {
    const client = await newClient(stores);
    const withUrl = draftOf(client, { webhookUrl: 'https://own.example/' });
    const [withoutWebhook, completed, failed] = [draftOf(client), draftOf(client), draftOf(client)];
    for (const draft of [withUrl, withoutWebhook, completed, failed]) await jobs.accept(draft);
    expect((await jobs.complete(withoutWebhook.jobId, { results: [], processingMs: 1 })).delivery).toBeNull();
    await accounts.setWebhook(client.accountId, { url });
    const ends = [
      await jobs.complete(withUrl.jobId, { results: [], processingMs: 1 }),
      await jobs.complete(completed.jobId, { results: [], processingMs: 1 }),
      await jobs.fail(failed.jobId, { error: 'No.', failureReason: 'no_result', processingMs: null }),
    ];
    expect(ends.map(({ delivery }) => delivery)).toMatchObject([
      { jobId: withUrl.jobId, target: 'job', url: 'https://own.example/', type: 'job.completed' },
      { jobId: completed.jobId, target: 'account', url, type: 'job.completed', state: 'pending', tries: 0 },
      { jobId: failed.jobId, target: 'account', url, type: 'job.failed' },
    ]);
    for (const { delivery } of ends) expect(await deliveries.find(delivery?.id ?? '')).toEqual(delivery);
    expect(await jobs.ended(completed.jobId)).toEqual(ends[1]);
    await accounts.recordEndpointHealth(client.accountId, url, { disabledReason: 'gone' });
    const last = draftOf(client);
    await jobs.accept(last);
    // Its first attempt cancels it, and it can be sent again.
    expect((await jobs.complete(last.jobId, { results: [], processingMs: 1 })).delivery).toMatchObject({
      target: 'account',
      url,
      state: 'pending',
    });
  });

  test('recordEndpointHealth records the health of the current endpoint only', async () => {
    const { id } = await accounts.create({ name: 'Acme', webhookUrl: url, webhookSecret: 'whsec_a' });
    const endpoint = async () => (await accounts.get(id)).webhook;
    const initial = await endpoint();
    await accounts.recordEndpointHealth(id, 'https://other.example/', { disabledReason: 'gone' });
    await accounts.recordEndpointHealth(id, url, { failingSince: moment(1) });
    expect(await endpoint()).toEqual({ ...initial, failingSince: moment(1) });
    await accounts.recordEndpointHealth(id, url, { disabledReason: 'gone' });
    expect(await endpoint()).toEqual({ ...initial, failingSince: moment(1), disabledReason: 'gone' });
    await accounts.recordEndpointHealth(id, url, 'healthy');
    expect(await endpoint()).toEqual({ ...initial, disabledReason: 'gone' });
    await accounts.recordEndpointHealth(id, url, { failingSince: moment(2) });
    await accounts.recordEndpointHealth(id, url, { failedCycle: { from: moment(2), until: moment(3) } });
    expect((await accounts.setWebhook(id, { url })).webhook).toEqual(initial);
  });
});
