import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { openApi } from '../../api/open-api.ts';
import { loadConfig } from '../../config.ts';
import { openRenderer } from '../../worker/open-renderer.ts';
import { openWorker } from '../../worker/open-worker.ts';
import { installRuntime } from '../../worker/temporal-logger.ts';
import { ownConfig } from '../setup/own-config.ts';
import { REQUIRED } from '../setup/required.ts';

installRuntime(pino({ level: 'silent' }));

/** The number of connections and child processes of this process. */
const open = () =>
  process.getActiveResourcesInfo().filter((kind) => ['TCPSocketWrap', 'ProcessWrap'].includes(kind)).length;

test('an API of which a part cannot be opened closes its connections to MongoDB', async () => {
  const before = open();
  let during = before;
  const overrides = {
    get rateLimits(): never {
      during = open();
      throw new Error('There are no rate limits.');
    },
  };
  await expect(openApi(ownConfig(), overrides)).rejects.toThrow('There are no rate limits.');
  expect(during).toBeGreaterThan(before);
  await vi.waitUntil(() => open() === before);
});

test('a renderer that cannot reach Temporal ends its image processes', async () => {
  const before = open();
  const config = loadConfig({ ...REQUIRED, IMAGE_PROCESSES: '2' });
  await expect(openRenderer(config)).rejects.toThrow('ConnectionRefused');
  await vi.waitUntil(() => open() === before);
});

test('workers that never ran let go of their connections', async () => {
  const before = open();
  const worker = await openWorker(ownConfig());
  const renderer = await openRenderer(ownConfig());
  await renderer[Symbol.asyncDispose]();
  await worker[Symbol.asyncDispose]();
  await vi.waitUntil(() => open() === before);
});
