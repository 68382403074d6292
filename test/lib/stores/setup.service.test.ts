import { MongoClient } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { openMongo } from '../../../lib/stores/mongo/client.ts';
import { setupDatabase } from '../../../lib/stores/mongo/setup.ts';
import { ownConfig } from '../../setup/own-config.ts';

const { mongo: config } = ownConfig();

test('setup waits for an index that takes longer to build than the reply timeout', {
  timeout: 60_000,
}, async () => {
  await using mongo = openMongo(config);
  const locker = new MongoClient(config.url);
  const session = locker.startSession();
  onTestFinished(async () => {
    await session.endSession();
    await locker.close();
    const cleaner = openMongo(config);
    await cleaner.db.dropDatabase();
    await cleaner[Symbol.asyncDispose]();
  });
  await mongo.db.collection('jobs').insertOne({});
  // The open transaction holds a lock that building an index needs.
  session.startTransaction();
  await locker.db(config.database).collection('jobs').insertOne({}, { session });

  const setup = setupDatabase(config);
  await expect(mongo.db.collection('jobs').createIndex({ any: 1 })).rejects.toThrow('timed out');
  await session.abortTransaction();
  await setup;
  const indexes = await mongo.db.collection('jobs').indexes();
  expect(indexes.length).toBeGreaterThan(5);
});
