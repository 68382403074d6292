import '../setup/context.ts';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, inject, test, vi } from 'vitest';
import { obtainTool } from '../../dev/obtain/tools.ts';
import { environment } from '../../lib/process/config/config.ts';
import { setupBuckets } from '../../lib/stores/s3/setup.ts';
import { METRICS } from '../../lib/telemetry/metrics/definitions.ts';
import { ownConfig } from '../setup/own-config.ts';
import { ownDatabase } from '../setup/own-database.ts';
import { PROCESSES, startServiceProcess } from '../setup/service-process.ts';

const FOLDER = 'deploy/observability';
let promtool: string;

beforeAll(async () => {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const context = { env: environment(), say, signal: new AbortController().signal };
  promtool = await obtainTool('promtool', context);
  // On a machine that reaches package registries only, Go builds it the first time.
}, 600_000);

function run(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(promtool, args, { input, encoding: 'utf8' });
  return { status, printed: `${stdout}${stderr}` };
}

test.each([
  ['the alert rules are valid', ['check', 'rules', '--lint=all', '--lint-fatal', `${FOLDER}/alerts.yml`]],
  ['every alert fires when it should, and only then', ['test', 'rules', `${FOLDER}/alerts.test.yml`]],
  ['the example of a configuration is valid', ['check', 'config', `${FOLDER}/prometheus.yml`]],
])('%s', (_, args) => {
  expect(run(args)).toEqual({ status: 0, printed: expect.stringContaining('SUCCESS') });
});

test('the pages of all processes are valid, and have every metric that alerts and dashboard name', {
  timeout: 90_000,
}, async () => {
  const { s3, mongo, temporal } = ownConfig();
  await using _database = await ownDatabase(mongo);
  await setupBuckets(s3);
  const env = {
    ...environment(),
    ...inject('env'),
    MONGODB_DATABASE: mongo.database,
    S3_INPUTS_BUCKET: s3.inputsBucket,
    S3_RESULTS_BUCKET: s3.resultsBucket,
    TASK_QUEUE_PREFIX: temporal.taskQueuePrefix,
    LOG_LEVEL: 'info',
    API_PORT: '0',
    METRICS_PORT: '0',
  };
  const pattern = /"url":"(http:[^"]+\/metrics)"/;
  const started = await Promise.all(PROCESSES.map((file) => startServiceProcess(file, env, pattern)));
  const [api = '', worker = '', renderer = ''] = started.map(({ found }) => found);
  await vi.waitFor(
    async () => expect(await read(worker)).toContain('temporal_worker_task_slots_available'),
    60_000,
  );
  const pages = await Promise.all([api, worker, renderer].map(read));
  for (const page of pages) expect(run(['check', 'metrics'], page)).toEqual({ status: 0, printed: '' });
  const known = new Set([...pages.flatMap(namesIn), ...Object.keys(METRICS)]);
  expect(namesUsed().filter((name) => !known.has(name))).toEqual([]);
});

const read = async (url: string) => (await fetch(url)).text();

const namesIn = (page: string) => [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);

/** Names of metrics, without the suffixes of a histogram's series. */
function namesUsed(): string[] {
  const text = ['alerts.yml', 'dashboard.json']
    .map((file) => readFileSync(`${FOLDER}/${file}`, 'utf8'))
    .join();
  const found = text.match(/\b(imagejob|temporal|process|nodejs)_[a-z0-9_]+/g) ?? [];
  return [...new Set(found.map((name) => name.replace(/_(bucket|count|sum)$/, '')))];
}
