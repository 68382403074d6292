import { activityInfo } from '@temporalio/activity';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { createActivities } from '../../../activities/activities.ts';
import { createRenderingActivities } from '../../../activities/jobs/rendering.ts';
import { environment, loadConfig } from '../../../config.ts';
import { createEgress } from '../../../egress/egress.ts';
import { createLogger, shutdownSignal } from '../../../runtime/process.ts';
import { type Mongo, openMongo } from '../../../stores/mongo/client.ts';
import { createMongoStores } from '../../../stores/mongo/stores.ts';
import { createImageStore } from '../../../stores/s3/images.ts';
import { createRenderer, createWorkers, runWorkers } from '../../../worker/create-workers.ts';
import { openImageTasks } from '../../../worker/image-tasks.ts';
import { temporalLogger } from '../../../worker/temporal-logger.ts';
import { createWorkflowProbe } from '../../../worker/workflow-probe.ts';
import { skewClock, withSkewedTimes } from './clock.ts';
import { createTestGenerator } from './generator.ts';
import { reachAt, withFailpoints } from './reach.ts';

// worker/main.ts and worker/renderer.ts in one process, with failpoints: `<activity> <call> before`, for the workflow.

const report = reachAt(process.argv[2] ?? '');
const reach = async (point: string) => {
  const { activityType, workflowExecution } = activityInfo();
  await report({ point: `${activityType} ${point}`, subject: workflowExecution?.workflowId ?? '' });
};

/** Adds a failpoint between the last write of a transaction and its commit. */
function withCommitFailpoint(mongo: Mongo): Mongo {
  return {
    ...mongo,
    transaction: (work) =>
      mongo.transaction(async (session) => {
        const result = await work(session);
        await reach('commit before');
        return result;
      }),
  };
}

const clockSkewMs = Number(process.argv[4]);
if (clockSkewMs !== 0) skewClock(clockSkewMs);
const signal = shutdownSignal();
const config = loadConfig(environment());
Runtime.install({ logger: temporalLogger(createLogger(config.log, 'worker')), shutdownSignals: [] });

await using mongo = openMongo(config.mongo);
await using images = createImageStore(config.s3);
await using imageTasks = await openImageTasks(config.worker);
await using egress = createEgress({ allowOrigins: config.egress.allowOrigins });
const connection = await NativeConnection.connect({ address: config.temporal.address });
await using _connection = { [Symbol.asyncDispose]: () => connection.close() };
const stores = createMongoStores(withCommitFailpoint(mongo));
const deps = {
  stores: {
    ...stores,
    jobs: withFailpoints(stores.jobs, 'jobs', ['accept', 'complete', 'fail'], reach),
    deliveries: withFailpoints(stores.deliveries, 'deliveries', ['begin', 'record'], reach),
  },
  images: withFailpoints(images, 'images', ['getInput', 'putResult'], reach),
  generator: withFailpoints(createTestGenerator(), 'generator', ['render'], reach),
  egress: withFailpoints(egress, 'egress', ['post'], reach),
  // Many attempts in a short time, for unreliable receivers.
  webhooks: { slots: 200, jitter: 0, scheduleMs: [0, ...Array.from({ length: 60 }, () => 500)] },
  workflows: createWorkflowProbe(connection, config.temporal.namespace),
  imageTasks,
};
const { jobs, webhooks } = createActivities(deps);
const activities = { jobs: withSkewedTimes(jobs, clockSkewMs), webhooks };
const workflowBundle = { codePath: config.temporal.workflowBundle };
const workers = await createWorkers({ config, connection, activities, workflowBundle });
const renderer = await createRenderer({ config, connection, activities: createRenderingActivities(deps) });
await report({ point: 'worker ready', subject: String(process.pid) });
await report({ point: 'worker run before', subject: process.argv[3] ?? '' });
await runWorkers([...workers, renderer], signal);
