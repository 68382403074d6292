import type { Config } from '../../config.ts';
import { closeClient, createClient } from './client.ts';
import { createIndexes } from './documents.ts';

/**
 * Creates the indexes. Idempotent; may run while the service is up. Replies have no timeout, because building an index
 * over many documents takes long.
 */
export async function setupDatabase(config: Config['mongo']): Promise<void> {
  const client = createClient(config, 0);
  try {
    await createIndexes(client.db(config.database));
  } finally {
    await closeClient(client);
  }
}
