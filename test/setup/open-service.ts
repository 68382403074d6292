import { NativeConnection, Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import { type ActivityDeps, createActivities } from '../../activities/activities.ts';
import { createRenderingActivities, type RenderDeps } from '../../activities/jobs/rendering.ts';
import { buildApp } from '../../api/app.ts';
import { createBudgets } from '../../api/budgets/budgets.ts';
import type { ApiDeps } from '../../api/deps.ts';
import { createTemporalGateway } from '../../api/jobs/gateway.ts';
import { createVoids } from '../../api/jobs/voids.ts';
import type { Config } from '../../config.ts';
import { digestApiKey, issueApiKey } from '../../domain/api-key.ts';
import { createEgress } from '../../egress/egress.ts';
import { createGenerator } from '../../generators/registry.ts';
import { taskQueues } from '../../protocol/task-queues.ts';
import { openTemporal } from '../../runtime/temporal.ts';
import { openMongo } from '../../stores/mongo/client.ts';
import { createIndexes } from '../../stores/mongo/documents.ts';
import { createMongoStores } from '../../stores/mongo/stores.ts';
import { createImageStore } from '../../stores/s3/images.ts';
import { setupBuckets } from '../../stores/s3/setup.ts';
import { createRenderer, createWorkers, runWorkers } from '../../worker/create-workers.ts';
import { openImageTasks } from '../../worker/image-tasks.ts';
import { temporalLogger } from '../../worker/temporal-logger.ts';
import { createWorkflowProbe } from '../../worker/workflow-probe.ts';
import { closers } from './closers.ts';

export type Service = Awaited<ReturnType<typeof openService>>;

/** The API on the real servers, without a worker. It does not listen: use `app.inject` or `app.listen`. */
export async function openService(config: Config, overrides: Partial<ApiDeps> = {}) {
  const stack = closers();
  const mongo = stack.use(openMongo(config.mongo));
  const images = stack.use(createImageStore(config.s3));
  const temporal = stack.use(openTemporal(config.temporal));
  const egress = stack.use(createEgress({ allowOrigins: config.egress.allowOrigins }));
  const stores = createMongoStores(mongo);
  await Promise.all([createIndexes(mongo.db), setupBuckets(config.s3)]);
  stack.defer(() => mongo.db.dropDatabase());
  const logger = pino({ level: config.log.level });
  const deps: ApiDeps = {
    config,
    stores,
    images,
    egress,
    jobGateway: createTemporalGateway(temporal.client, taskQueues(config.temporal.taskQueuePrefix)),
    voids: stack.use(createVoids(stores.jobs, logger)),
    rateLimits: { countClient: async () => {}, countKey: async () => {} },
    budgets: createBudgets(config.api),
    apiSwitch: { enabled: () => true, [Symbol.asyncDispose]: async () => {} },
    logger,
    ...overrides,
  };
  const app = stack.use(buildApp(deps));
  await app.ready();

  /** Creates an account with a key, the 50 free images and a pack of `images` more. */
  async function client(images = 0) {
    const account = await stores.accounts.create({
      name: 'Client',
      webhookUrl: null,
      webhookSecret: 'whsec_dGVzdA==',
    });
    const key = await keyOf(account.id);
    if (images > 0) await stores.packs.add({ accountId: account.id, images, reference: null });
    return { accountId: account.id, ...key };
  }

  async function keyOf(accountId: string, retentionDays: number | null = null) {
    const apiKey = issueApiKey(config.keyPrefix);
    const { key } = await stores.keys.create({
      accountId,
      name: 'Client key',
      digest: digestApiKey(apiKey),
      hint: apiKey.slice(0, 8),
      retentionDays,
    });
    return { keyId: key.id, apiKey, headers: { 'x-api-key': apiKey } };
  }

  return {
    config,
    mongo,
    stores,
    images,
    temporal: temporal.client,
    app,
    deps,
    client,
    keyOf,
    startWorker: (overrides: Partial<WorkerDeps> = {}) =>
      startWorker(config, { stores, images, egress, ...overrides }),
    [Symbol.asyncDispose]: () => stack.close(),
  };
}

type WorkerDeps = ActivityDeps & RenderDeps;

/** Starts a worker and a renderer with these dependencies. Disposing lets running work finish. */
export async function startWorker(
  config: Config,
  overrides: Pick<WorkerDeps, 'stores' | 'images' | 'egress'> & Partial<WorkerDeps>,
) {
  installRuntime(config);
  const connection = await NativeConnection.connect({ address: config.temporal.address });
  const imageTasks = await openImageTasks(config.worker);
  const deps: WorkerDeps = {
    generator: createGenerator(config.generators),
    workflows: createWorkflowProbe(connection, config.temporal.namespace),
    imageTasks,
    ...overrides,
  };
  const workflowBundle = { codePath: config.temporal.workflowBundle };
  const activities = createActivities(deps);
  const workers = [
    ...(await createWorkers({ config, connection, activities, workflowBundle })),
    await createRenderer({ config, connection, activities: createRenderingActivities(deps) }),
  ];
  const stop = new AbortController();
  const running = runWorkers(workers, stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await imageTasks[Symbol.asyncDispose]();
      await connection.close();
    },
  };
}

let installed = false;
/** The SDK has one runtime per process; it logs at the level of the tests. */
function installRuntime(config: Config): void {
  if (installed) return;
  installed = true;
  Runtime.install({ logger: temporalLogger(pino({ level: config.log.level })), shutdownSignals: [] });
}
