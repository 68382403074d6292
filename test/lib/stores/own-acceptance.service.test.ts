import { expect, test } from 'vitest';
import { acceptAll } from '../../../lib/stores/mongo/acceptance.ts';
import { collections } from '../../../lib/stores/mongo/documents.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import { databaseOfFile } from '../../setup/database.ts';
import { balanceOf, draftOf, newClient } from '../../setup/records.ts';

const mongo = databaseOfFile();

test('a job that a concurrent attempt accepts between the two queries is accepted, not a replay', async () => {
  const stores = createMongoStores(mongo);
  const client = await newClient(stores);
  const draft = draftOf(client, { idempotencyKey: 'order', imagesCharged: 60 });
  const c = collections(mongo.db);
  const findOne = async (...args: Parameters<typeof c.jobs.findOne>) => {
    const job = await c.jobs.findOne(...args);
    await stores.packs.add({ accountId: client.accountId, images: 500, reference: null });
    await stores.jobs.accept(draft);
    return job;
  };
  const jobs: typeof c.jobs = Object.create(c.jobs, { findOne: { value: findOne } });
  const { jobId, bodyDigest } = draft;
  // The balance of 50 is too low for the first attempt. During its query, a pack is added and a
  // second one accepts.
  expect(await acceptAll(mongo, { ...c, jobs }, [draft])).toEqual([
    { outcome: 'accepted', jobId, bodyDigest },
  ]);
  expect(await balanceOf(stores, client)).toBe(490);
});
