import { expect, test } from 'vitest';
import { collections } from '../../../lib/stores/mongo/documents.ts';
import { cancelUnbegun } from '../../../lib/stores/mongo/ending.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import { databaseOfFile } from '../../setup/database.ts';
import { draftOf, newClient } from '../../setup/records.ts';

const mongo = databaseOfFile();
const END = { error: 'Cancelled.', failureReason: 'cancelled', processingMs: null } as const;

test.each([
  ['a render that begins', 'begun', (stores, jobId) => stores.generatorCalls.beginLocal(jobId)],
  ['a completion', false, (stores, jobId) => stores.jobs.complete(jobId, { results: [], processingMs: 1 })],
] as [string, unknown, (stores: ReturnType<typeof createMongoStores>, jobId: string) => Promise<unknown>][])(
  'a cancellation learns of %s between its look at the job and its write',
  async (_what, expected, meanwhile) => {
    const stores = createMongoStores(mongo);
    const draft = draftOf(await newClient(stores));
    await stores.jobs.accept(draft);
    const c = collections(mongo.db);
    let looked = false;
    const findOne = async (...args: Parameters<typeof c.jobs.findOne>) => {
      const found = await c.jobs.findOne(...args);
      if (!looked) await meanwhile(stores, draft.jobId);
      looked = true;
      return found;
    };
    const jobs: typeof c.jobs = Object.create(c.jobs, { findOne: { value: findOne } });
    expect(await cancelUnbegun(mongo, { ...c, jobs }, { jobId: draft.jobId, ...END }, () => {})).toBe(
      expected,
    );
  },
);
