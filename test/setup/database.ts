import { afterAll, beforeAll } from 'vitest';
import { type Mongo, openMongo } from '../../lib/stores/mongo/client.ts';
import { prepareDatabase } from '../../lib/stores/mongo/setup.ts';
import { ownConfig } from './own-config.ts';

/** A database with the indexes, for the tests of one file. It is dropped and closed after them. */
export function databaseOfFile({ mongo: config } = ownConfig()): Mongo {
  const mongo = openMongo(config);
  beforeAll(() => prepareDatabase(mongo.db));
  afterAll(async () => {
    await mongo.db.dropDatabase();
    await mongo[Symbol.asyncDispose]();
  });
  return mongo;
}
