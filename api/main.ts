import { environment, loadConfig } from '../config.ts';
import { egressWarning } from '../egress/allow-origins.ts';
import { createEgress } from '../egress/egress.ts';
import { aborted, CLOSING_MS, createLogger, shutdownSignal } from '../runtime.ts';
import { openMongo } from '../stores/mongo/client.ts';
import { createMongoStores } from '../stores/mongo/stores.ts';
import { createImageStore } from '../stores/s3/images.ts';
import { openTemporal } from '../temporal.ts';
import { taskQueues } from '../workflows/messages.ts';
import { watchApiSwitch } from './api-switch.ts';
import { buildApp, PREFIX } from './app.ts';
import { createBudgets } from './budgets.ts';
import { createVoids } from './creation/voids.ts';
import { createTemporalGateway } from './job-gateway.ts';
import { createRateLimits } from './plugins/rate-limit.ts';

const config = loadConfig(environment());
const signal = shutdownSignal(config.shutdownGraceMs + CLOSING_MS);
const logger = createLogger(config.log, 'api');
const warning = egressWarning(config.egress.allowOrigins);
if (warning !== undefined) logger.warn(warning);

await using mongo = openMongo(config.mongo);
await using images = createImageStore(config.s3);
await using temporal = openTemporal(config.temporal);
await using egress = createEgress({ allowOrigins: config.egress.allowOrigins });
const stores = createMongoStores(mongo);
await using voids = createVoids(stores.jobs, logger);
await using apiSwitch = await watchApiSwitch(stores.settings);
const jobs = createTemporalGateway(temporal.client, taskQueues(config.temporal.taskQueuePrefix));

const rateLimits = createRateLimits({ prefix: `${PREFIX}/v1` });
const budgets = createBudgets(config.api);
const parts = { config, stores, images, egress, jobs, voids, apiSwitch, rateLimits, budgets, logger };
await using app = buildApp(parts);
await app.listen({ host: config.api.host, port: config.api.port });
await aborted(signal);
logger.info('The API is stopping.');
