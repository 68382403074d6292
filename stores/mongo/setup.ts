import type { Config } from '../../config.ts';
import { closeClient, createClient } from './client.ts';
import { createIndexes } from './documents.ts';

/**
 * Makes what the database needs; safe to repeat and to run beside a working service. An index over many documents takes
 * its time, so each answer is waited for as long as the server is there.
 */
export async function setupDatabase(config: Config['mongo']): Promise<void> {
  const client = createClient(config, 0);
  try {
    await createIndexes(client.db(config.database));
  } finally {
    await closeClient(client);
  }
}
