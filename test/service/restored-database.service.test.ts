import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Job } from '../../lib/contract/schemas.ts';
import { prepareDatabase } from '../../lib/stores/mongo/setup.ts';
import { type CommandLine, openCommandLine } from '../operator/command-line.ts';
import { ended, postJob } from '../setup/client.ts';
import { closers } from '../setup/closers.ts';
import { type Dump, dumpDatabase, restoreDatabase } from '../setup/dump.ts';
import { scriptedGenerators } from '../setup/generators.ts';
import { sampleImage } from '../setup/images.ts';
import { type Service, startService } from '../setup/service.ts';

const open = closers();
let service: Service;
let cli: CommandLine;
let delivered: string[];
let backup: Dump;

beforeAll(async () => {
  service = open.use(await startService());
  cli = openCommandLine(service.config);
  open.use(cli.deps);
  // Every image is old enough to count as an orphan.
  const retention = { orphanedInputMs: 0, orphanedResultMs: 0 };
  open.use(await service.startWorker({ generators: scriptedGenerators({}), retention }));
  const client = await service.client();
  const image_base64 = await sampleImage();
  const jobs = async (count: number) => {
    const done: Job[] = [];
    for (let n = 0; n < count; n += 1) {
      const created = await postJob(service.app, client.headers, { tool: 'declutter', image_base64 });
      done.push(await ended(service.app, client.headers, created.json().job_id));
    }
    return done.flatMap(({ result_urls }) => result_urls);
  };
  const before = await jobs(6);
  backup = await dumpDatabase(service.mongo.db);
  delivered = [...before, ...(await jobs(3))];
  expect(delivered).toHaveLength(9);
});
afterAll(() => open.close());
beforeEach(() => restoreDatabase(service.mongo.db, backup));

const served = async () => {
  const answers = await Promise.all(delivered.map((url) => fetch(url)));
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  return answers.map(({ status }) => status);
};
const ALL_SERVED = Array.from({ length: 9 }, () => 200);
const sweep = (...options: string[]) => cli.operator(['sweep', 'run', '--wait', '--json', ...options]);

test('the results that a restored MongoDB does not know are kept, and so are their inputs', async () => {
  for (const options of [[], ['--confirm']]) {
    const { code, out } = await sweep(...options);
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ orphans: 6, removed: 0 })]);
    expect(await served()).toEqual(ALL_SERVED);
  }
});

test.each<[string, () => Promise<unknown>]>([
  ['an empty MongoDB', () => service.mongo.db.dropDatabase().then(() => prepareDatabase(service.mongo.db))],
  ['a foreign MongoDB', () => service.stores.settings.setInstallation(randomUUID())],
])('%s has no image removed, and the rest of the retention run goes on', async (_, change) => {
  await change();
  const { keyId, accountId } = await service.client();
  await service.stores.keys.setRetention(keyId, 1);
  await service.stores.removals.enqueue([{ bucket: 'results', key: `${accountId}/a.png` }]);
  const { code, out, err } = await sweep('--confirm');
  expect([code, JSON.parse(out)]).toEqual([1, expect.objectContaining({ removed: 0, orphans: 0 })]);
  expect(err).toContain('Removing queued images');
  expect(err).toContain('Removing orphaned results');
  expect(err).toContain('No image is removed');
  expect(await served()).toEqual(ALL_SERVED);
  expect(await service.stores.settings.removalsHeld()).toEqual(['installation']);
  expect((await cli.operator(['setup'])).err).toContain('operator setup --adopt');
});
