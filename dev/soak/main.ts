import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { shutdownSignal } from '../../lib/process/process.ts';
import { collections } from '../../lib/stores/mongo/documents.ts';
import { startRetention } from '../../operator/runs.ts';
import { createCallers } from '../bench/callers.ts';
import { childrenOf } from '../bench/children.ts';
import { type BenchEnvironment, openEnvironment } from '../bench/environment.ts';
import { quantile } from '../bench/load.ts';
import { photo } from '../bench/sample-images.ts';
import { startService } from '../bench/service.ts';
import { formatTable, meetsGoal, type Row } from '../bench/table.ts';
import { createClient } from './client.ts';
import { watchMemory } from './memory.ts';
import { type SoakReceiver, startReceiver } from './receiver.ts';
import { runStory } from './story.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '5' },
    accounts: { type: 'string', default: '10' },
  },
});
const say = (line: string) => void process.stderr.write(`${line}\n`);
const none = (what: string, value: number): Row => ({ what, value, unit: '', goal: { atMost: 0 } });
const NOTIFIED_WITHIN_MS = 60_000;
const FAILS_EVERY = 10;

/**
 * `npm run soak -- [--minutes 10] [--rate 5] [--accounts 10]`: jobs per second from accounts that post, poll, are
 * notified and delete, against the whole service on its real servers. Ends with 1 when any row misses its goal.
 */
async function soak(): Promise<void> {
  const signal = shutdownSignal();
  await using bench = await openEnvironment(say, signal);
  await using receiver = await startReceiver(FAILS_EVERY);
  const settings = { GENERATORS: 'preview', EGRESS_ALLOW_ORIGINS: receiver.origin };
  const environment = { ...bench, env: { ...bench.env, ...settings } };
  await using service = await startService(environment);
  const { api, worker, renderer } = service;
  const [image] = childrenOf(renderer.pid);
  const stopWatching = watchMemory({
    API: api.process.pid,
    worker: worker.pid,
    renderer: renderer.pid,
    ...(image === undefined ? {} : { 'image process': image }),
  });
  const { jobs, problems, expected } = await runStories(environment, api.origin, receiver, signal);
  const memory = stopWatching();
  const rows: Row[] = [
    { what: 'jobs', value: jobs, unit: '' },
    none('stories that did not end as promised', problems.length),
    ...memory,
    ...(await timesToEnd(environment)),
    ...(await leftBehind(environment, receiver, expected)),
  ];
  process.stdout.write(`${formatTable(rows)}\n`);
  for (const problem of new Set(problems)) say(problem);
  if (!rows.every(meetsGoal)) process.exitCode = 1;
}

interface Stories {
  jobs: number;
  problems: string[];
  /** Jobs whose receiver has to be notified. */
  expected: Set<string>;
}

async function runStories(
  environment: BenchEnvironment,
  origin: string,
  receiver: SoakReceiver,
  signal: AbortSignal,
): Promise<Stories> {
  const callers = await createCallers(environment, Number(values.accounts));
  const clients = callers.map(({ accountId, apiKey }) => createClient(origin, accountId, apiKey));
  const problems: string[] = [];
  const expected = new Set<string>();
  const imageBase64 = (await photo(640, 320)).toString('base64');
  const context = { imageBase64, webhookUrl: receiver.url, onNotify: (id: string) => void expected.add(id) };
  const count = Math.round(Number(values.minutes) * 60 * Number(values.rate));
  const stories: Promise<void>[] = [];
  const start = performance.now();
  for (let n = 0; n < count && !signal.aborted; n += 1) {
    const client = clients[n % clients.length];
    if (client === undefined) throw new Error('There are no accounts.');
    stories.push(runStory(n, client, context).catch((error) => void problems.push(String(error))));
    if (n % (60 * Number(values.rate)) === 0) say(`${n} of ${count} jobs, ${problems.length} problems`);
    await delay(Math.max(0, start + ((n + 1) * 1000) / Number(values.rate) - performance.now()));
  }
  await Promise.all(stories);
  return { jobs: stories.length, problems, expected };
}

/** A backlog shows as times that grow with the length of the run. */
async function timesToEnd({ mongo }: BenchEnvironment): Promise<Row[]> {
  const ended = collections(mongo.db).jobs.find({ completedAt: { $ne: null } });
  const seconds = (await ended.toArray()).map(
    ({ createdAt, completedAt }) => (Number(completedAt) - Number(createdAt)) / 1000,
  );
  return [0.5, 0.99].map((share) => ({
    what: `from acceptance to the end of a job, p${share * 100}`,
    value: quantile(seconds, share),
    unit: 's',
  }));
}

/** What must not be left when all stories have ended and the retention workflow has run. */
async function leftBehind(
  { mongo, stores, temporal, config }: BenchEnvironment,
  { notified }: SoakReceiver,
  expected: ReadonlySet<string>,
): Promise<Row[]> {
  const missing = () => [...expected].filter((jobId) => !notified.has(jobId)).length;
  const deadline = performance.now() + NOTIFIED_WITHIN_MS;
  while (missing() > 0 && performance.now() < deadline) await delay(500);
  const { workflowId } = await startRetention(temporal, config.temporal.taskQueuePrefix);
  await temporal.workflow.getHandle(workflowId).result();
  const { removals, histories, jobs } = collections(mongo.db);
  return [
    none('webhooks that were not delivered', missing()),
    none('breaches of the ledger', (await stores.ledger.audit()).length),
    none('jobs that are still processing', await jobs.countDocuments({ status: 'processing' })),
    none('removals of images that are pending', await removals.countDocuments()),
    none('removals of histories that are pending', await histories.countDocuments()),
  ];
}

await soak();
