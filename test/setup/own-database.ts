import type { Config } from '../../config.ts';
import { openMongo } from '../../stores/mongo/client.ts';
import { setupDatabase } from '../../stores/mongo/setup.ts';

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
