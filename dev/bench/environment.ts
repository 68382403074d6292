import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { type Config, environment, loadConfig } from '../../lib/process/config/config.ts';
import { withResources } from '../../lib/process/resources.ts';
import { openTemporal } from '../../lib/process/temporal-client.ts';
import { type Mongo, openMongo } from '../../lib/stores/mongo/client.ts';
import { prepareDatabase } from '../../lib/stores/mongo/setup.ts';
import { createMongoStores } from '../../lib/stores/mongo/stores.ts';
import type { Stores } from '../../lib/stores/stores.ts';
import { registerSearchAttributes } from '../../operator/setup/register-search-attributes.ts';
import { setupImages } from '../../operator/setup/steps.ts';
import { writeWorkflowBundle } from '../../worker/bundle.ts';
import type { Say } from '../obtain/progress.ts';
import { type Servers, startServers } from '../servers/start.ts';
import type { Row } from './report.ts';

/**
 * One benchmark: starts the processes it needs, measures, and stops them. The servers are already
 * running.
 * @param only run only the cases whose name contains this text
 */
export type Bench = (environment: BenchEnvironment, only: string) => Promise<Row[]>;

/** The running servers, set up for this run, and the bench's connections to them. */
export type BenchEnvironment = AsyncDisposable & {
  /** Environment of the service's processes. */
  env: NodeJS.ProcessEnv;
  config: Config;
  mongo: Mongo;
  stores: Stores;
  temporal: Client;
  freePort: () => Promise<number>;
  logFile: (process: string) => string;
  /** Pids of the servers that were started here. */
  serverPids: Readonly<Record<string, number>>;
  say: Say;
};

/**
 * Starts the servers. A server whose address is in the caller's environment is used instead. The
 * run has its own database, buckets and task queues. The database is dropped at the end; the
 * buckets are left.
 */
export async function openEnvironment(say: Say, signal: AbortSignal): Promise<BenchEnvironment> {
  return withResources(async (keep) => {
    const caller = environment();
    const dataDir = join(tmpdir(), 'image-job-api-bench');
    const servers = keep(
      await startServers({ dataDir, ephemeral: true, ui: false, say, signal, env: caller }),
    );
    const bundle = servers.folder.file('workflow-bundle.cjs');
    const env = { ...caller, ...servers.env, ...uniqueNames(servers.env), WORKFLOW_BUNDLE: bundle };
    const config = loadConfig(env);
    const mongo = keep(openMongo(config.mongo));
    keep({ [Symbol.asyncDispose]: async () => void (await mongo.db.dropDatabase()) });
    await Promise.all([
      writeWorkflowBundle(bundle),
      registerSearchAttributes(config.temporal),
      prepareDatabase(mongo.db),
      setupImages(config.s3, createMongoStores(mongo)),
    ]);
    const temporal = keep(openTemporal(config.temporal));
    return {
      env,
      config,
      mongo,
      stores: createMongoStores(mongo),
      temporal: temporal.client,
      say,
      serverPids: pidsOf(servers.children),
      freePort: () => servers.ports.choose(randomUUID()),
      logFile: (process) => servers.folder.file('logs', `${process}-${randomUUID().slice(0, 8)}.log`),
    };
  });
}

const pidsOf = (children: Servers['children']) =>
  Object.fromEntries(
    Object.values(children).flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, pid]])),
  );

function uniqueNames({ S3_ENDPOINT }: Record<string, string>): Record<string, string> {
  const id = randomUUID().slice(0, 8);
  return {
    MONGODB_DATABASE: `bench_${id}`,
    S3_INPUTS_BUCKET: `bench-inputs-${id}`,
    S3_RESULTS_BUCKET: `bench-results-${id}`,
    UPLOAD_URL: `${S3_ENDPOINT}/bench-results-${id}`,
    TASK_QUEUE_PREFIX: `bench-${id}-`,
    // Requests come from many addresses, because the rate limit of one address is too low.
    TRUST_PROXY: '127.0.0.1',
    GENERATORS: 'preview',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
}
