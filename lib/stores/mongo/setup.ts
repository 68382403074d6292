import type { Collection, Db, IndexDescription } from 'mongodb';
import type { Config } from '../../process/config/config.ts';
import { closeClient, createMongoClient } from './client.ts';
import { collections } from './documents.ts';
import { checkSetup, recordSchema } from './schema.ts';

/**
 * Creates the indexes and records the schema's version. Idempotent; may run while the service is
 * up. Replies have no timeout, because building an index over many documents takes long.
 * @throws SchemaError when a newer version has set the database up
 */
export async function setupDatabase(config: Config['mongo']): Promise<void> {
  const client = createMongoClient(config, 0);
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

const DAY_S = 24 * 3600;

/**
 * The indexes of a list: the newest first, of one account, or of one account and one value of a
 * field.
 */
const LIST = { createdAt: -1, _id: -1 } as const;
const listOfAccount = (...fields: string[]) => ({
  accountId: 1 as const,
  ...Object.fromEntries(fields.map((field) => [field, 1 as const])),
  ...LIST,
});

/** Creates the indexes with one command per collection. */
async function createIndexes(db: Db): Promise<void> {
  const c = collections(db);
  await create(c.keys, [
    { key: { digest: 1 }, unique: true },
    { key: { accountId: 1, createdAt: 1 } },
    { key: { _id: 1, retentionDays: 1 }, partialFilterExpression: { retentionDays: { $gte: 1 } } },
  ]);
  await create(c.accounts, [
    { key: LIST },
    { key: { status: 1 }, partialFilterExpression: { status: 'closed' } },
  ]);
  await create(c.jobs, [
    { key: listOfAccount() },
    { key: LIST },
    // Lists for clients leave out deleted jobs. An account may have any number of these: one scan
    // for each status.
    { key: listOfAccount('status') },
    { key: listOfAccount('tool', 'status') },
    { key: { accountId: 1, status: 1, completedAt: 1, _id: 1 } },
    // Contains only jobs that have an open call.
    {
      key: { 'calls.outcome': 1, _id: 1 },
      partialFilterExpression: { 'calls.outcome': { $type: 'null' } },
    },
    // For RetentionStore. Its queries never scan deleted jobs, so the number of these does not
    // matter.
    { key: { keyId: 1, status: 1, createdAt: 1 } },
    { key: { 'inputs.bucket': 1, createdAt: 1 }, partialFilterExpression: { status: 'failed' } },
    { key: { status: 1, _id: 1 }, partialFilterExpression: { status: 'processing' } },
    { key: { status: 1, createdAt: 1 }, partialFilterExpression: { status: 'processing' } },
    { key: { 'inputs.key': 1 }, sparse: true },
    { key: { 'results.key': 1 }, sparse: true },
    // Removes tombstones.
    { key: { voidedAt: 1 }, expireAfterSeconds: 7 * DAY_S },
  ]);
  await create(c.idempotency, [{ key: { keyId: 1, key: 1 }, unique: true }]);
  await create(c.ledger, [{ key: { accountId: 1, seq: 1 }, unique: true }]);
  await create(c.packs, [{ key: { accountId: 1, _id: 1 } }]);
  await create(c.deliveries, [
    { key: listOfAccount() },
    // When a receiver was down, nearly all deliveries of its account may be in another state than
    // the one asked for.
    { key: listOfAccount('state') },
    {
      name: 'tests',
      key: { accountId: 1, createdAt: -1 },
      partialFilterExpression: { type: 'test.ping' },
    },
    { key: { state: 1, ...LIST }, partialFilterExpression: { state: 'failed' } },
    { key: { createdAt: 1 }, expireAfterSeconds: 90 * DAY_S },
    { key: { state: 1, _id: 1 }, partialFilterExpression: { state: 'pending' } },
    { key: { state: 1, createdAt: 1 }, partialFilterExpression: { state: 'pending' } },
  ]);
  await create(c.removals, [{ key: { since: 1 } }]);
}

async function create<T extends { _id: string }>(
  collection: Collection<T>,
  indexes: IndexDescription[],
): Promise<void> {
  await collection.createIndexes(indexes);
}
