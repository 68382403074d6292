import type { Config } from '../../process/config/config.ts';
import type { Resources } from '../../process/resources.ts';
import type { Metrics } from '../../telemetry/metrics/metrics.ts';
import type { Stores } from '../stores.ts';
import { openMongo } from './client.ts';
import { checkSchema } from './schema.ts';
import { createMongoStores } from './stores.ts';

/** The stores of a process, in a database that is set up for its version. @throws SchemaError */
export async function openMongoStores(
  config: Config['mongo'],
  { metrics, keep }: { metrics: Metrics; keep: Resources['use'] },
): Promise<Stores> {
  const mongo = keep(openMongo(config));
  await checkSchema(mongo.db);
  return createMongoStores(mongo, metrics);
}
