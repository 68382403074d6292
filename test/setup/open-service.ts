import { pino } from 'pino';
import { type ApiOverrides, openApi } from '../../api/open-api.ts';
import { digestApiKey, issueApiKey } from '../../lib/domain/api-key.ts';
import type { Config } from '../../lib/process/config/config.ts';
import { withResources } from '../../lib/process/resources.ts';
import { openTemporal } from '../../lib/process/temporal-client.ts';
import { openMongo } from '../../lib/stores/mongo/client.ts';
import { prepareDatabase } from '../../lib/stores/mongo/setup.ts';
import { createMongoStores } from '../../lib/stores/mongo/stores.ts';
import { installRuntime } from '../../lib/telemetry/temporal-logger.ts';
import { setupImages } from '../../operator/setup/steps.ts';
import { openRenderer } from '../../worker/open-renderer.ts';
import { openWorker, type WorkerOverrides } from '../../worker/open-worker.ts';
import { PERMISSIVE } from './permissive.ts';

export type Service = Awaited<ReturnType<typeof openService>>;

/** The API on the real servers, without a worker. It does not listen: use `app.inject` or `app.listen`. */
export function openService(config: Config, overrides: ApiOverrides = {}) {
  return withResources(async (keep, defer) => {
    const mongo = keep(openMongo(config.mongo));
    const stores = createMongoStores(mongo, overrides.metrics);
    const temporal = keep(openTemporal(config.temporal));
    await prepareDatabase(mongo.db);
    await setupImages(config.s3, stores);
    defer(() => mongo.db.dropDatabase());
    const logger = pino({ level: config.log.level });
    const { app, deps } = keep(await openApi(config, { stores, logger, ...PERMISSIVE, ...overrides }));
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

    const { images, egress } = deps;
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
      startWorker: (others: TestWorkerOverrides = {}) =>
        startWorker(config, { stores, images, egress, metrics: deps.metrics, schedules: [], ...others }),
    };
  });
}

type TestWorkerOverrides = WorkerOverrides & Parameters<typeof openRenderer>[1];

/** Starts a worker and a renderer. Disposing lets running work finish. */
export async function startWorker(
  config: Config,
  overrides: TestWorkerOverrides = {},
): Promise<AsyncDisposable> {
  installRuntimeOnce(config, overrides.logger);
  const { worker, renderer, ...opened } = await withResources(async (keep) => ({
    worker: keep(await openWorker(config, overrides)),
    renderer: keep(await openRenderer(config, overrides)),
  }));
  const stop = new AbortController();
  const running = [worker, renderer].map(({ run }) => run(stop.signal));
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.allSettled(running);
      await opened[Symbol.asyncDispose]();
      await Promise.all(running);
    },
  };
}

let installed = false;
/** The SDK has one runtime per process; by default it logs at the level of the tests. */
function installRuntimeOnce(config: Config, logger = pino({ level: config.log.level })): void {
  if (installed) return;
  installed = true;
  installRuntime(logger);
}
