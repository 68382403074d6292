import { watchApiSwitch } from '../../../api/api-switch.ts';
import { buildApp } from '../../../api/app.ts';
import { createBudgets } from '../../../api/budgets/budgets.ts';
import { createTemporalGateway, type JobRequest } from '../../../api/jobs/gateway.ts';
import { createVoids } from '../../../api/jobs/voids.ts';
import { environment, loadConfig } from '../../../config.ts';
import { createEgress } from '../../../egress/egress.ts';
import { taskQueues } from '../../../protocol/task-queues.ts';
import { aborted, createLogger, shutdownSignal } from '../../../runtime/process.ts';
import { openTemporal } from '../../../runtime/temporal.ts';
import { openMongo } from '../../../stores/mongo/client.ts';
import { createMongoStores } from '../../../stores/mongo/stores.ts';
import { createImageStore } from '../../../stores/s3/images.ts';
import { skewClock } from './clock.ts';
import { reachAt, withFailpoints } from './reach.ts';

// Like api/main.ts, but without rate limits and with failpoints: `<call> before`, for the workflow or account.

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
  images: withFailpoints(images, 'images', ['putInput'], (point, [key]) =>
    report({ point, subject: String(key).split('/', 1)[0] ?? '' }),
  ),
  egress,
  jobGateway: withFailpoints(jobs, 'gateway', ['accept'], (point, [request]) =>
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
