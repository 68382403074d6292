import type { Config } from '../../lib/process/config/config.ts';
import { openMongo } from '../../lib/stores/mongo/client.ts';
import { setupDatabase } from '../../lib/stores/mongo/setup.ts';

/** Sets up the database that processes of the test open. Disposing drops it. */
export async function ownDatabase(config: Config['mongo']): Promise<AsyncDisposable> {
  await setupDatabase(config);
  return {
    async [Symbol.asyncDispose]() {
      await using mongo = openMongo(config);
      await mongo.db.dropDatabase();
    },
  };
}
