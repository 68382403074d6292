import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import type { Stores } from '../../../lib/stores/stores.ts';
import { createFakeStores } from '../../fakes/stores.ts';
import { databaseOfFile } from '../../setup/database.ts';

/** The fakes and the MongoDB adapters, with a new database; for `describe.each`. */
export function storesUnderTest(): [name: string, stores: Stores][] {
  return [
    ['the fake', createFakeStores()],
    ['the MongoDB adapter', createMongoStores(databaseOfFile())],
  ];
}
