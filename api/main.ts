import { environment, loadConfig } from '../config.ts';
import { egressWarning } from '../egress/allow-origins.ts';
import { createEgress } from '../egress/egress.ts';
import { taskQueues } from '../protocol/task-queues.ts';
import { aborted, CLOSING_MS, createLogger, shutdownSignal } from '../runtime/process.ts';
import { openTemporal } from '../runtime/temporal.ts';
import { openMongo } from '../stores/mongo/client.ts';
import { createMongoStores } from '../stores/mongo/stores.ts';
import { createImageStore } from '../stores/s3/images.ts';
import { watchApiSwitch } from './api-switch.ts';
import { buildApp, PREFIX } from './app.ts';
import { createBudgets } from './budgets/budgets.ts';
import { createRateLimits } from './http/rate-limit.ts';
import { createTemporalGateway } from './jobs/gateway.ts';
import { createVoids } from './jobs/voids.ts';

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
const jobGateway = createTemporalGateway(temporal.client, taskQueues(config.temporal.taskQueuePrefix));

const rateLimits = createRateLimits({ prefix: `${PREFIX}/v1` });
const budgets = createBudgets(config.api);
const deps = { config, stores, images, egress, jobGateway, voids, apiSwitch, rateLimits, budgets, logger };
await using app = buildApp(deps);
await app.listen({ host: config.api.host, port: config.api.port });
await aborted(signal);
logger.info('The API is stopping.');
