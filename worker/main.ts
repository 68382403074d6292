import { NativeConnection, Runtime } from '@temporalio/worker';
import { createActivities } from '../activities/activities.ts';
import { environment, loadConfig } from '../config.ts';
import { egressWarning } from '../egress/allow-origins.ts';
import { createEgress } from '../egress/egress.ts';
import { CLOSING_MS, createLogger, shutdownSignal } from '../runtime/process.ts';
import { connectionOptions } from '../runtime/temporal.ts';
import { openMongo } from '../stores/mongo/client.ts';
import { createMongoStores } from '../stores/mongo/stores.ts';
import { createImageStore } from '../stores/s3/images.ts';
import { loadWorkflowBundle } from './bundle.ts';
import { createWorkers, runWorkers } from './create-workers.ts';
import { temporalLogger } from './temporal-logger.ts';
import { createWorkflowProbe } from './workflow-probe.ts';

const config = loadConfig(environment());
const signal = shutdownSignal(config.shutdownGraceMs + CLOSING_MS);
const logger = createLogger(config.log, 'worker');
Runtime.install({ logger: temporalLogger(logger), shutdownSignals: [] });
const warning = egressWarning(config.egress.allowOrigins);
if (warning !== undefined) logger.warn(warning);

await using mongo = openMongo(config.mongo);
await using images = createImageStore(config.s3);
await using egress = createEgress({ allowOrigins: config.egress.allowOrigins });
const [connection, workflowBundle] = await Promise.all([
  NativeConnection.connect(connectionOptions(config.temporal)),
  loadWorkflowBundle(config.temporal.workflowBundle),
]);
await using _connection = { [Symbol.asyncDispose]: () => connection.close() };
const activities = createActivities({
  stores: createMongoStores(mongo),
  images,
  egress,
  webhooks: { slots: config.worker.webhookSlots },
  workflows: createWorkflowProbe(connection, config.temporal.namespace),
});
const workers = await createWorkers({ config, connection, activities, workflowBundle });
logger.info('The worker is ready.');
await runWorkers(workers, signal);
logger.info('The worker has stopped.');
