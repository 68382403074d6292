import type { Config } from '../../process/config/config.ts';
import type { Resources } from '../../process/resources.ts';
import { type Metrics, NO_METRICS } from '../../telemetry/metrics/metrics.ts';
import type { Stores } from '../stores.ts';
import { createAccountStore } from './accounts.ts';
import { type Mongo, openMongo } from './client.ts';
import { createDeliveryStore } from './deliveries.ts';
import { createGeneratorCallStore } from './generator-calls.ts';
import { createJobStore } from './jobs.ts';
import { createKeyStore } from './keys.ts';
import { createLedgerStore } from './ledger.ts';
import { createOrphanStore } from './orphans.ts';
import { createHistoryStore, createRemovalStore } from './outboxes.ts';
import { createPackStore } from './packs.ts';
import { createRetentionStore } from './retention.ts';
import { checkSchema } from './schema.ts';
import { createSettingsStore } from './settings.ts';

/** @param metrics counts what is committed */
export function createMongoStores(mongo: Mongo, metrics: Metrics = NO_METRICS): Stores {
  return {
    accounts: createAccountStore(mongo),
    deliveries: createDeliveryStore(mongo, metrics),
    generatorCalls: createGeneratorCallStore(mongo, metrics),
    histories: createHistoryStore(mongo),
    keys: createKeyStore(mongo),
    jobs: createJobStore(mongo, metrics),
    ledger: createLedgerStore(mongo),
    orphans: createOrphanStore(mongo),
    packs: createPackStore(mongo),
    removals: createRemovalStore(mongo),
    retention: createRetentionStore(mongo),
    settings: createSettingsStore(mongo),
  };
}

/** The stores of a process, in a database that is set up for its version. @throws SchemaError */
export async function openMongoStores(
  config: Config['mongo'],
  { metrics, keep }: { metrics: Metrics; keep: Resources['use'] },
): Promise<Stores> {
  const mongo = keep(openMongo(config));
  await checkSchema(mongo.db);
  return createMongoStores(mongo, metrics);
}
