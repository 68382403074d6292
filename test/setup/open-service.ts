import { NativeConnection, Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import { type ActivityDeps, createActivities } from '../../activities/activities.ts';
import { createRenderingActivities, type RenderDeps } from '../../activities/rendering.ts';
import { buildApp } from '../../api/app.ts';
import { createBudgets } from '../../api/budgets.ts';
import type { ApiDeps } from '../../api/deps.ts';
import { createTemporalGateway } from '../../api/job-gateway.ts';
import type { Config } from '../../config.ts';
import { digestApiKey, issueApiKey } from '../../contract/api-key.ts';
import { createEgress } from '../../egress/egress.ts';
import { createGenerator } from '../../generators/registry.ts';
import { openMongo } from '../../stores/mongo/client.ts';
import { createIndexes } from '../../stores/mongo/documents.ts';
import { createMongoStores } from '../../stores/mongo/stores.ts';
import { createImageStore } from '../../stores/s3/images.ts';
import { setupBuckets } from '../../stores/s3/setup.ts';
import { openTemporal } from '../../temporal.ts';
import { createRenderer, createWorkers, runWorkers } from '../../worker/create-workers.ts';
import { openImageTasks } from '../../worker/image-tasks.ts';
import { temporalLogger } from '../../worker/temporal-logger.ts';
import { createWorkflowProbe } from '../../worker/workflow-probe.ts';
import { taskQueues } from '../../workflows/messages.ts';
import { closers } from './closers.ts';

export type Service = Awaited<ReturnType<typeof openService>>;

/** The API (not listening; use `app.inject` or `app.listen`) over the real servers, without a worker. */
export async function openService(config: Config, parts: Partial<ApiDeps> = {}) {
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
    jobs: createTemporalGateway(temporal.client, taskQueues(config.temporal.taskQueuePrefix)),
    rateLimits: { countClient: async () => {}, countKey: async () => {} },
    budgets: createBudgets(config.api),
    apiSwitch: { enabled: () => true, [Symbol.asyncDispose]: async () => {} },
    logger,
    ...parts,
  };
  const app = stack.use(buildApp(deps));
  await app.ready();

  /** An account with a key and, beyond the 50 free images, a pack of the given size. */
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
    startWorker: (parts: Partial<WorkerDeps> = {}) =>
      startWorker(config, { stores, images, egress, ...parts }),
    [Symbol.asyncDispose]: () => stack.close(),
  };
}

type WorkerDeps = ActivityDeps & RenderDeps;

/** A worker and a renderer over the given parts; disposing lets running work finish. */
export async function startWorker(
  config: Config,
  parts: Pick<WorkerDeps, 'stores' | 'images' | 'egress'> & Partial<WorkerDeps>,
) {
  installRuntime(config);
  const connection = await NativeConnection.connect({ address: config.temporal.address });
  const imageTasks = await openImageTasks(config.worker);
  const deps: WorkerDeps = {
    generator: createGenerator(config.generators),
    workflows: createWorkflowProbe(connection, config.temporal.namespace),
    imageTasks,
    ...parts,
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
/** The SDK has one runtime a process; what it logs goes where the tests' logger goes. */
function installRuntime(config: Config): void {
  if (installed) return;
  installed = true;
  Runtime.install({ logger: temporalLogger(pino({ level: config.log.level })), shutdownSignals: [] });
}
