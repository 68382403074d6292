import { expect, test } from 'vitest';
import { cancelJob } from '../../stores/mongo/cancellation.ts';
import { collections } from '../../stores/mongo/documents.ts';
import { createMongoStores } from '../../stores/mongo/stores.ts';
import { databaseOfFile } from '../setup/database.ts';
import { draftOf, newClient } from '../setup/records.ts';

const mongo = databaseOfFile();

test('a job that completes while its cancellation looks at its calls has ended, and is not one in progress', async () => {
  const stores = createMongoStores(mongo);
  const { jobs, generatorCalls } = stores;
  const draft = draftOf(await newClient(stores));
  const { jobId } = draft;
  await jobs.accept(draft);
  await generatorCalls.beginLocal(jobId);
  const c = collections(mongo.db);
  const findOne = async (...args: Parameters<typeof c.generatorCalls.findOne>) => {
    await jobs.complete(jobId, { results: [], processingMs: 1 });
    return c.generatorCalls.findOne(...args);
  };
  const calls: typeof c.generatorCalls = Object.create(c.generatorCalls, { findOne: { value: findOne } });
  const end = { error: 'Cancelled.', failureReason: 'cancelled', processingMs: null } as const;
  expect(await cancelJob(mongo, { ...c, generatorCalls: calls }, { jobId, ...end }, () => {})).toBe(false);
});
