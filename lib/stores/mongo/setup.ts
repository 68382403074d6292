import type { Db } from 'mongodb';
import type { Config } from '../../process/config/config.ts';
import { closeClient, createClient } from './client.ts';
import { createIndexes } from './documents.ts';
import { checkSetup, recordSchema } from './schema.ts';

/**
 * Creates the indexes and records the schema's version. Idempotent; may run while the service is up. Replies have no
 * timeout, because building an index over many documents takes long.
 * @throws SchemaError when a newer version has set the database up
 */
export async function setupDatabase(config: Config['mongo']): Promise<void> {
  const client = createClient(config, 0);
  try {
    await prepareDatabase(client.db(config.database));
  } finally {
    await closeClient(client);
  }
}

/** As {@link setupDatabase}, in an open database. */
export async function prepareDatabase(db: Db): Promise<void> {
  await checkSetup(db);
  await createIndexes(db);
  // Last, so that no process starts before the indexes that keep a key from being spent twice.
  await recordSchema(db);
}
