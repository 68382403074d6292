import { expect, test } from 'vitest';
import { deliveryIdOf } from '../../../lib/domain/delivery.ts';
import { type Collections, collections } from '../../../lib/stores/mongo/documents.ts';
import { type EndFields, endJob } from '../../../lib/stores/mongo/ending.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import { databaseOfFile } from '../../setup/database.ts';
import { draftOf, newClient } from '../../setup/records.ts';

const url = 'https://acme.example/hook';
const completed: EndFields = { status: 'completed', results: [], processingMs: 1 };
const failed: EndFields = { status: 'failed', error: 'No.', processingMs: null };

const mongo = databaseOfFile();
const stores = createMongoStores(mongo);
const c = collections(mongo.db);

/**
 * The collections, with `act` called once, between the first look at an account and the answer to
 * it.
 */
function actAfterLook(act: () => Promise<unknown>): Collections {
  let acted = false;
  const findOne = async (...args: Parameters<typeof c.accounts.findOne>) => {
    const account = await c.accounts.findOne(...args);
    if (!acted) await act();
    acted = true;
    return account;
  };
  return { ...c, accounts: Object.create(c.accounts, { findOne: { value: findOne } }) };
}

async function processingJob() {
  const draft = draftOf(await newClient(stores));
  await stores.jobs.accept(draft);
  return draft;
}

test.each([completed, failed])(
  'a webhook goes out when the endpoint is set between the look for it and the end: $status',
  async (end) => {
    const { jobId, accountId } = await processingJob();
    const set = actAfterLook(() => stores.accounts.setWebhook(accountId, { url }));
    const { delivery } = await endJob(mongo, set, jobId, end);
    expect(delivery).toMatchObject({ id: deliveryIdOf(jobId), target: 'account', url, state: 'pending' });
    expect(await stores.deliveries.find(deliveryIdOf(jobId))).toEqual(delivery);
  },
);

test('a webhook goes out when the end crashes before it looks at the endpoint again', async () => {
  const { jobId, accountId } = await processingJob();
  let looks = 0;
  const findOne = async (...args: Parameters<typeof c.accounts.findOne>) => {
    looks += 1;
    if (looks > 1) throw new Error('The process crashed.');
    const account = await c.accounts.findOne(...args);
    await stores.accounts.setWebhook(accountId, { url });
    return account;
  };
  const accounts: typeof c.accounts = Object.create(c.accounts, { findOne: { value: findOne } });
  await expect(endJob(mongo, { ...c, accounts }, jobId, completed)).rejects.toThrow('crashed');
  expect(await stores.deliveries.find(deliveryIdOf(jobId))).toBeUndefined();
  const again = await Promise.all([
    stores.jobs.complete(jobId, { results: [], processingMs: 2 }),
    stores.jobs.ended(jobId),
  ]);
  for (const ended of again) expect(ended?.delivery).toMatchObject({ url, state: 'pending' });
});

test('a job that was deleted before the end looks at the endpoint again has no webhook', async () => {
  const { jobId, accountId } = await processingJob();
  await stores.jobs.complete(jobId, { results: [], processingMs: 1 });
  await stores.accounts.setWebhook(accountId, { url });
  await stores.jobs.remove([jobId]);
  expect((await stores.jobs.ended(jobId))?.delivery).toBeNull();
});
