import '../setup/context.ts';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { environment } from '../../lib/process/config/config.ts';
import type { ReadinessReport } from '../../lib/process/readiness.ts';
import { setupBuckets } from '../../lib/stores/s3/setup.ts';
import { ownConfig } from '../setup/own-config.ts';
import { ownDatabase } from '../setup/own-database.ts';
import { startProxy, type TcpProxy } from '../setup/proxy.ts';
import { PROCESSES, startServiceProcess } from '../setup/service-process.ts';

let proxies: Record<'mongodb' | 's3' | 'temporal', TcpProxy>;
let database: AsyncDisposable;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  const { MONGODB_URL = '', S3_ENDPOINT = '', TEMPORAL_ADDRESS = '', ...others } = inject('env');
  const through = (url: string) => {
    const { hostname: host, port } = new URL(url);
    return startProxy({ host, port: Number(port) });
  };
  proxies = {
    mongodb: await through(MONGODB_URL),
    s3: await through(S3_ENDPOINT),
    temporal: await through(`http://${TEMPORAL_ADDRESS}`),
  };
  const { s3, mongo, temporal } = ownConfig();
  database = await ownDatabase(mongo);
  await setupBuckets(s3);
  env = {
    ...environment(),
    ...others,
    MONGODB_URL: `mongodb://127.0.0.1:${proxies.mongodb.port}/?directConnection=true`,
    MONGODB_DATABASE: mongo.database,
    S3_ENDPOINT: `http://127.0.0.1:${proxies.s3.port}`,
    S3_INPUTS_BUCKET: s3.inputsBucket,
    S3_RESULTS_BUCKET: s3.resultsBucket,
    TEMPORAL_ADDRESS: `127.0.0.1:${proxies.temporal.port}`,
    TASK_QUEUE_PREFIX: temporal.taskQueuePrefix,
    LOG_LEVEL: 'info',
    API_PORT: '0',
    HEALTH_PORT: '0',
    DRAIN_MS: '600000',
  };
});
afterAll(async () => {
  await database?.[Symbol.asyncDispose]();
  await Promise.all(Object.values(proxies ?? {}).map((proxy) => proxy[Symbol.asyncDispose]()));
});

/** Starts a process. @returns it, and where its health is */
async function start(file: (typeof PROCESSES)[number]) {
  const isApi = file === 'api/main.ts';
  const pattern = isApi ? /Server listening at (http:[^"]+)/ : /"url":"(http:[^"]+)\/readyz"/;
  const { child, found: origin } = await startServiceProcess(file, env, pattern);
  return { child, origin };
}

async function ready(origin: string) {
  const response = await fetch(`${origin}/readyz`);
  return { code: response.status, ...((await response.json()) as ReadinessReport) };
}

const alive = async (origin: string) => (await fetch(`${origin}/healthz`)).status;

test('every process names a dependency that is away, and is ready again when it is back', {
  timeout: 120_000,
}, async () => {
  const started = await Promise.all(PROCESSES.map(start));
  const all = (expected: object) =>
    vi.waitFor(async () => {
      const found = await Promise.all(started.map(({ origin }) => ready(origin)));
      expect(found).toEqual(started.map(() => expected));
    }, 60_000);
  const ok = { mongodb: 'ok', s3: 'ok', temporal: 'ok' };
  await all({ code: 200, status: 'ready', dependencies: ok });
  for (const [name, proxy] of Object.entries(proxies)) {
    proxy.hold();
    onTestFinished(() => proxy.release());
    await all({ code: 503, status: 'away', dependencies: { ...ok, [name]: 'away' } });
    for (const { origin } of started) expect(await alive(origin)).toBe(200);
    proxy.release();
    await all({ code: 200, status: 'ready', dependencies: ok });
  }
});

test('an API that was told to stop accepts requests for a while, and is alive but not ready', async () => {
  const { child, origin } = await start('api/main.ts');
  child.kill('SIGTERM');
  await vi.waitFor(async () => {
    expect(await ready(origin)).toMatchObject({ code: 503, status: 'draining' });
  }, 60_000);
  expect(await alive(origin)).toBe(200);
  expect((await fetch(`${origin}/api/v1/tools`)).status).toBe(401);
});

test('a worker that was told to stop finishes its work, and is alive but not ready', {
  timeout: 60_000,
}, async () => {
  const { child, origin } = await start('worker/main.ts');
  // Its workers cannot stop without Temporal.
  proxies.temporal.hold();
  onTestFinished(() => proxies.temporal.release());
  child.kill('SIGTERM');
  await vi.waitFor(async () => {
    expect(await ready(origin)).toMatchObject({ code: 503, status: 'draining' });
  }, 60_000);
  expect(await alive(origin)).toBe(200);
  proxies.temporal.release();
  expect(await once(child, 'exit')).toEqual([0, null]);
});
