import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openApi } from '../../api/open-api.ts';
import type { Config } from '../../lib/process/config/config.ts';
import { openMongo } from '../../lib/stores/mongo/client.ts';
import { recordSchema } from '../../lib/stores/mongo/schema.ts';
import { openRenderer } from '../../worker/open-renderer.ts';
import { openWorker } from '../../worker/open-worker.ts';
import { ownConfig } from '../setup/own-config.ts';
import { ownDatabase } from '../setup/own-database.ts';
import { logSdkTo } from '../setup/sdk-log.ts';

beforeAll(() => logSdkTo());

/** The number of connections and child processes of this process. */
const open = () =>
  process.getActiveResourcesInfo().filter((kind) => ['TCPSocketWrap', 'ProcessWrap'].includes(kind)).length;
const idle = open();

/** Configuration with a database that is set up, for the time of the test. */
async function preparedConfig(overrides: Record<string, string> = {}): Promise<Config> {
  const config = ownConfig(overrides);
  const database = await ownDatabase(config.mongo);
  onTestFinished(() => database[Symbol.asyncDispose]());
  await expect.poll(() => open()).toBeLessThanOrEqual(idle);
  return config;
}

test.each([
  ['an API', openApi],
  ['a worker', openWorker],
  ['a renderer', openRenderer],
])('%s refuses a database that needs a newer version, in one line', async (_, openProcess) => {
  const config = await preparedConfig();
  await using mongo = openMongo(config.mongo);
  await recordSchema(mongo.db, { version: 1001, oldest: 1000 });
  await expect(openProcess(config)).rejects.toThrow(
    /^The database needs schema version 1000 .+ newer release\.$/,
  );
});

test('an API of which a part cannot be opened closes its connections to MongoDB', async () => {
  const config = await preparedConfig();
  let during = idle;
  const overrides = {
    get rateLimits(): never {
      during = open();
      throw new Error('There are no rate limits.');
    },
  };
  await expect(openApi(config, overrides)).rejects.toThrow('There are no rate limits.');
  expect(during).toBeGreaterThan(idle);
  await expect.poll(() => open()).toBeLessThanOrEqual(idle);
});

test('a renderer that cannot reach Temporal ends its image processes', async () => {
  const config = await preparedConfig({ TEMPORAL_ADDRESS: '127.0.0.1:1', IMAGE_PROCESSES: '2' });
  await expect(openRenderer(config)).rejects.toThrow('ConnectionRefused');
  await expect.poll(() => open()).toBeLessThanOrEqual(idle);
});

test('workers that never ran let go of their connections', async () => {
  const config = await preparedConfig();
  const worker = await openWorker(config);
  const renderer = await openRenderer(config);
  await renderer[Symbol.asyncDispose]();
  await worker[Symbol.asyncDispose]();
  await expect.poll(() => open()).toBeLessThanOrEqual(idle);
});
