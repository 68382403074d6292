import { activityInfo } from '@temporalio/activity';
import { createEgress } from '../../../lib/egress/egress.ts';
import { runService, type ServiceContext } from '../../../lib/process/run-main.ts';
import { type Mongo, openMongo } from '../../../lib/stores/mongo/client.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import { createImageStore } from '../../../lib/stores/s3/images.ts';
import { installRuntime } from '../../../lib/telemetry/temporal-logger.ts';
import { openRenderer } from '../../../worker/open-renderer.ts';
import { openWorker } from '../../../worker/open-worker.ts';
import { generatorsOf } from '../../setup/generators.ts';
import { skewClock, skewedTimes } from './clock.ts';
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

async function runBoth({ config, logger, signal }: ServiceContext): Promise<void> {
  installRuntime(logger);
  await using mongo = openMongo(config.mongo);
  await using images = createImageStore(config.s3);
  await using egress = createEgress(config.egress);
  const stores = createMongoStores(withCommitFailpoint(mongo));
  const parts = {
    stores: {
      ...stores,
      jobs: withFailpoints(stores.jobs, 'jobs', ['accept', 'complete', 'fail'], reach),
      deliveries: withFailpoints(stores.deliveries, 'deliveries', ['begin', 'record'], reach),
      generatorCalls: withFailpoints(stores.generatorCalls, 'generatorCalls', ['update'], reach),
    },
    images: withFailpoints(images, 'images', ['getInput', 'putResult'], reach),
  };
  await using worker = await openWorker(config, {
    ...parts,
    egress: withFailpoints(egress, 'egress', ['post'], reach),
    // Many attempts in a short time, for unreliable receivers.
    webhooks: { slots: 200, jitter: 0, scheduleMs: [0, ...Array.from({ length: 60 }, () => 500)] },
    interceptors: [skewedTimes(clockSkewMs)],
    logger,
  });
  // Tests that configure upstreams run fakes of them.
  const usesUpstreams = config.generators.used.some((name) => name !== 'preview');
  const scripted = generatorsOf(withFailpoints(createTestGenerator(), 'generator', ['render'], reach));
  await using renderer = await openRenderer(config, {
    ...parts,
    ...(usesUpstreams ? {} : { generators: scripted }),
  });
  await report({ point: 'worker ready', subject: String(process.pid) });
  await report({ point: 'worker run before', subject: process.argv[3] ?? '' });
  await Promise.all([worker.run(signal), renderer.run(signal)]);
}

await runService('worker', runBoth, ({ worker }) => worker.renderGraceMs);
