import { watchApiSwitch } from '../../../api/api-switch.ts';
import { buildApp } from '../../../api/app.ts';
import { createBudgets } from '../../../api/budgets.ts';
import { createVoids } from '../../../api/creation/voids.ts';
import { createTemporalGateway, type JobRequest } from '../../../api/job-gateway.ts';
import { environment, loadConfig } from '../../../config.ts';
import { createEgress } from '../../../egress/egress.ts';
import { aborted, createLogger, shutdownSignal } from '../../../runtime.ts';
import { openMongo } from '../../../stores/mongo/client.ts';
import { createMongoStores } from '../../../stores/mongo/stores.ts';
import { createImageStore } from '../../../stores/s3/images.ts';
import { openTemporal } from '../../../temporal.ts';
import { taskQueues } from '../../../workflows/messages.ts';
import { skewClock } from './clock.ts';
import { reachAt, stepping } from './reach.ts';

// An API like api/main.ts, without rate limits, that reports its calls: `<call> before`, for the workflow or account.

const report = reachAt(process.argv[2] ?? '');
const clockSkewMs = Number(process.argv[4]);
if (clockSkewMs !== 0) skewClock(clockSkewMs);
const signal = shutdownSignal();
const config = loadConfig(environment());

await using mongo = openMongo(config.mongo);
await using images = createImageStore(config.s3);
await using temporal = openTemporal(config.temporal);
await using egress = createEgress({ allowOrigins: config.egress.allowOrigins });
const stores = createMongoStores(mongo);
const logger = createLogger(config.log, 'api');
await using voids = createVoids(stores.jobs, logger);
await using apiSwitch = await watchApiSwitch(stores.settings);
const jobs = createTemporalGateway(temporal.client, taskQueues(config.temporal.taskQueuePrefix));

await using app = buildApp({
  config,
  stores,
  images: stepping(images, 'images', ['putInput'], (point, [key]) =>
    report({ point, subject: String(key).split('/', 1)[0] ?? '' }),
  ),
  egress,
  jobs: stepping(jobs, 'gateway', ['accept'], (point, [request]) =>
    report({ point, subject: (request as JobRequest).draft.workflowId }),
  ),
  apiSwitch,
  rateLimits: { countClient: async () => {}, countKey: async () => {} },
  budgets: createBudgets(config.api),
  voids,
  logger,
});
await app.listen({ host: config.api.host, port: config.api.port });
await aborted(signal);
