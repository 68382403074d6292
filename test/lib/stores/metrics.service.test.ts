import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { deliveryIdOf } from '../../../lib/domain/delivery.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import { databaseOfFile } from '../../setup/database.ts';
import { recordMetrics } from '../../setup/metrics.ts';
import { draftOf, newClient } from '../../setup/records.ts';

const mongo = databaseOfFile();

function open() {
  const { metrics, values } = recordMetrics();
  return { values, stores: createMongoStores(mongo, metrics) };
}

const RESULT = { results: [], processingMs: 2000, generator: 'bfl' };
const FAILURE = { error: 'No.', failureReason: 'no_result' as const, processingMs: 300, generator: 'gemini' };

test('images charged are counted once a job, however often its acceptance is repeated', async () => {
  const { stores, values } = open();
  const client = await newClient(stores);
  const drafts = [1, 2, 2].map((imagesCharged) => draftOf(client, { imagesCharged }));
  await Promise.all(drafts.map(stores.jobs.accept));
  await Promise.all(drafts.map(stores.jobs.accept));
  expect(await stores.jobs.accept(draftOf(client, { imagesCharged: 46 }))).toMatchObject({
    outcome: 'insufficient_credits',
  });
  expect(await values('imagejob_images_charged_total')).toEqual({ '{}': 5 });
  const rows = await stores.ledger.list(client.accountId);
  const charged = rows.filter(({ kind }) => kind === 'charge').map(({ delta }) => -delta);
  expect(charged.reduce((sum, images) => sum + images)).toBe(5);
});

test('ends and refunds are counted by the call that made them, in whatever process', async () => {
  const one = open();
  const other = createMongoStores(mongo);
  const client = await newClient(one.stores);
  const drafts = [1, 2, 2, 1].map((imagesCharged) => draftOf(client, { imagesCharged }));
  const [completed = '', failed = '', elsewhere = '', voided = ''] = drafts.map(({ jobId }) => jobId);
  for (const draft of drafts) await one.stores.jobs.accept(draft);
  await other.jobs.fail(elsewhere, FAILURE);
  await Promise.all([completed, completed].map((id) => one.stores.jobs.complete(id, RESULT)));
  await Promise.all([failed, failed, elsewhere].map((id) => one.stores.jobs.fail(id, FAILURE)));
  await one.stores.jobs.complete(failed, RESULT);
  await Promise.all([voided, voided].map((id) => one.stores.jobs.void(id, id)));
  // A failed job has been refunded already.
  await one.stores.jobs.void(failed, failed);
  expect(await one.values('imagejob_jobs_total')).toEqual({
    '{tool="image-enhancement",generator="bfl",end="completed"}': 1,
    '{tool="image-enhancement",generator="gemini",end="failed"}': 1,
  });
  expect(await one.values('imagejob_images_refunded_total')).toEqual({
    '{cause="failed"}': 2,
    '{cause="voided"}': 1,
  });
  expect(await one.values('imagejob_render_seconds_count')).toEqual({ '{generator="bfl"}': 1 });
  expect(await one.stores.jobs.get(completed)).toMatchObject({ generator: 'bfl' });
  expect(await one.stores.ledger.audit(client.accountId)).toEqual([]);
});

test('a job that failed before any generator was asked is counted without one', async () => {
  const { stores, values } = open();
  const draft = draftOf(await newClient(stores));
  await stores.jobs.accept(draft);
  await stores.jobs.fail(draft.jobId, {
    error: 'The job was cancelled.',
    failureReason: 'no_result',
    processingMs: null,
  });
  expect(await values('imagejob_jobs_total')).toEqual({
    '{tool="image-enhancement",generator="none",end="failed"}': 1,
  });
});

test('the end of a call and its cost are counted once, although two attempts record them', async () => {
  const { stores, values } = open();
  const { generatorCalls } = stores;
  const draft = draftOf(await newClient(stores));
  await stores.jobs.accept(draft);
  const { jobId } = draft;
  const begin = async () => {
    const call = { id: randomUUID(), generator: 'bfl', model: 'flux', mayBeCharged: true };
    expect(await generatorCalls.begin(jobId, call, await generatorCalls.list(jobId))).toBe('begun');
    return call.id;
  };
  const [completed, refused] = [await begin(), await begin()];
  const end = { outcome: 'completed', costUsd: 0.25, endedAt: new Date() } as const;
  await Promise.all([end, end, end].map((changes) => generatorCalls.update(jobId, completed, changes)));
  await generatorCalls.update(jobId, refused, { task: { id: 't' } });
  await generatorCalls.update(jobId, refused, { outcome: 'refused', costUsd: 0.5 });
  await generatorCalls.update(jobId, 'no such call', end);
  expect(await values('imagejob_upstream_calls_total')).toEqual({
    '{generator="bfl",outcome="completed"}': 1,
    '{generator="bfl",outcome="refused"}': 1,
  });
  expect(await values('imagejob_upstream_cost_usd_total')).toEqual({ '{generator="bfl"}': 0.75 });
});

test('attempts of webhooks are counted by their outcome', async () => {
  const { stores, values } = open();
  const { accountId } = await newClient(stores);
  const cycle = 'first';
  const planned = { accountId, type: 'job.completed', target: 'job', url: 'https://a.test', cycle } as const;
  const attempt = async (after: Parameters<typeof stores.deliveries.record>[3]) => {
    const jobId = randomUUID();
    const id = deliveryIdOf(jobId);
    await stores.deliveries.plan({ id, jobId, ...planned });
    const at = new Date();
    await stores.deliveries.begin(id, cycle, { at, url: planned.url });
    const made = { at, url: planned.url, status: 200, ms: 40, error: null, responseBody: '' };
    await stores.deliveries.record(id, cycle, made, after);
  };
  await attempt({ state: 'delivered' });
  await attempt({ state: 'pending', nextAttemptAt: new Date() });
  await attempt({ state: 'failed', reason: 'All 8 attempts failed.' });
  expect(await values('imagejob_webhook_attempts_total')).toEqual({
    '{outcome="delivered"}': 1,
    '{outcome="retry"}': 1,
    '{outcome="failed"}': 1,
  });
  expect(await values('imagejob_webhook_attempt_seconds_count')).toEqual({ '{}': 3 });
});
