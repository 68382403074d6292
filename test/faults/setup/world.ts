import '../../setup/context.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { environment, loadConfig } from '../../../config.ts';
import { registerSearchAttributes } from '../../../operator/setup/search-attributes.ts';
import { startServers } from '../../../stack/servers.ts';
import { openMongo } from '../../../stores/mongo/client.ts';
import { createIndexes } from '../../../stores/mongo/documents.ts';
import { createMongoStores } from '../../../stores/mongo/stores.ts';
import { createImageStore } from '../../../stores/s3/images.ts';
import { setupBuckets } from '../../../stores/s3/setup.ts';
import { openTemporal } from '../../../temporal.ts';
import { samplePicture } from '../../setup/client.ts';
import { closers } from '../../setup/closers.ts';
import { startFailpoints } from './failpoints.ts';
import { startLinks } from './links.ts';
import { startApi, startWorker } from './processes.ts';
import { startReceiver } from './receiver.ts';

export const VICTIMS = ['worker', 'api', 'mongod', 'temporal', 'versitygw'] as const;
export type Victim = (typeof VICTIMS)[number];

export type World = Awaited<ReturnType<typeof startWorld>>;

/** What a test wants of the service. */
type Wishes = {
  env?: Record<string, string>;
  /** Whether API and worker reach MongoDB and Temporal over links that can fail. */
  linked?: boolean;
};

/** The whole service on servers of its own, every part a process that can be killed, stopped and started again. */
export async function startWorld({ env = {}, linked = false }: Wishes = {}) {
  const stack = closers();
  const say = () => {};
  const { signal } = new AbortController();
  const failpoints = stack.use(await startFailpoints());
  const receiver = stack.use(await startReceiver(failpoints));
  const caller = {
    ...environment(''),
    ...inject('env'),
    LOG_LEVEL: 'warn',
    SHUTDOWN_GRACE_MS: '3000',
    RENDER_SLOTS: '16',
    EGRESS_ALLOW_ORIGINS: receiver.origin,
    ...env,
  };
  const dataDir = join(tmpdir(), 'image-job-api-faults');
  const servers = stack.use(
    await startServers({ dataDir, ephemeral: true, ui: false, say, signal, env: caller }),
  );
  const around = { ...servers, env: { ...caller, ...servers.env }, say, signal };
  const config = loadConfig(around.env);
  const mongo = stack.use(openMongo(config.mongo));
  const images = stack.use(createImageStore(config.s3));
  const temporal = stack.use(openTemporal(config.temporal));
  await Promise.all([
    createIndexes(mongo.db),
    setupBuckets(config.s3),
    registerSearchAttributes(config.temporal),
  ]);
  const links = stack.use(await startLinks(config.mongo.url, config.temporal.address));
  const [api, worker] = await Promise.all([
    startApi(linked ? links.around(around, 'api') : around, failpoints),
    startWorker(linked ? links.around(around, 'worker') : around, failpoints),
  ]);
  stack.use(worker);
  stack.use(api.child);
  const { mongod, temporal: temporalServer, versitygw } = servers.children;
  if (!mongod || !temporalServer || !versitygw) throw new Error('Fault tests start servers of their own.');
  const processes = { worker, api: api.child, mongod, temporal: temporalServer, versitygw };
  return {
    around,
    failpoints,
    links,
    receiver,
    mongo,
    images,
    stores: createMongoStores(mongo),
    temporal: temporal.client,
    url: api.url,
    processes,
    keyPrefix: config.keyPrefix,
    picture: await samplePicture(),
    [Symbol.asyncDispose]: () => stack.close(),
  };
}
