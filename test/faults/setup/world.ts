import '../../setup/context.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { startServers } from '../../../dev/servers/start.ts';
import { environment, loadConfig } from '../../../lib/process/config/config.ts';
import { openTemporal } from '../../../lib/process/temporal-client.ts';
import { openMongo } from '../../../lib/stores/mongo/client.ts';
import { prepareDatabase } from '../../../lib/stores/mongo/setup.ts';
import { createMongoStores } from '../../../lib/stores/mongo/stores.ts';
import { createImageStore } from '../../../lib/stores/s3/images.ts';
import { registerSearchAttributes } from '../../../operator/setup/register-search-attributes.ts';
import { setupImages } from '../../../operator/setup/steps.ts';
import { closers } from '../../setup/closers.ts';
import { sampleImage } from '../../setup/images.ts';
import { startReceiver } from '../../setup/receiver.ts';
import { startFailpoints } from './failpoints.ts';
import { startLinks } from './links.ts';
import { startApi, startFaultWorker } from './processes.ts';

export const KILLED = ['worker', 'api', 'mongod', 'temporal', 'versitygw'] as const;

export type World = Awaited<ReturnType<typeof startWorld>>;

type WorldOptions = {
  env?: Record<string, string>;
  /** Whether API and worker connect to MongoDB and Temporal over links that can fail. */
  linked?: boolean;
};

/** The whole service on its own servers. Every part is a process that can be killed, paused and restarted. */
export async function startWorld({ env = {}, linked = false }: WorldOptions = {}) {
  const stack = closers();
  const say = () => {};
  const { signal } = new AbortController();
  const failpoints = stack.use(await startFailpoints());
  const arrived = ({ path }: { path: string }) =>
    failpoints.pass({ point: 'receiver response before', subject: path });
  const receiver = stack.use(await startReceiver({ arrived }));
  const overrides = {
    ...environment(),
    ...inject('env'),
    LOG_LEVEL: 'warn',
    SHUTDOWN_GRACE_MS: '3000',
    RENDER_GRACE_MS: '3000',
    RENDER_SLOTS: '16',
    EGRESS_ALLOW_ORIGINS: receiver.origin,
    ...env,
  };
  const dataDir = join(tmpdir(), 'image-job-api-faults');
  const servers = stack.use(
    await startServers({ dataDir, ephemeral: true, ui: false, say, signal, env: overrides }),
  );
  const context = { ...servers, env: { ...overrides, ...servers.env }, say, signal };
  const config = loadConfig(context.env);
  const mongo = stack.use(openMongo(config.mongo));
  const images = stack.use(createImageStore(config.s3));
  const temporal = stack.use(openTemporal(config.temporal));
  await Promise.all([
    prepareDatabase(mongo.db),
    setupImages(config.s3, createMongoStores(mongo)),
    registerSearchAttributes(config.temporal),
  ]);
  const links = stack.use(await startLinks(config.mongo.url, config.temporal.address));
  const [api, worker] = await Promise.all([
    startApi(linked ? links.contextFor(context, 'api') : context, failpoints),
    startFaultWorker(linked ? links.contextFor(context, 'worker') : context, failpoints),
  ]);
  stack.use(worker);
  stack.use(api.child);
  const { mongod, temporal: temporalServer, versitygw } = servers.children;
  if (!mongod || !temporalServer || !versitygw)
    throw new Error('Fault tests start their own servers: unset the server addresses in the environment.');
  const processes = { worker, api: api.child, mongod, temporal: temporalServer, versitygw };
  return {
    context,
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
    image: await sampleImage(),
    [Symbol.asyncDispose]: () => stack.close(),
  };
}
