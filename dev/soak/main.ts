import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readUsage } from '../../lib/imaging/processes/usage.ts';
import { shutdownSignal } from '../../lib/process/process.ts';
import { collections } from '../../lib/stores/mongo/documents.ts';
import { startRetention } from '../../operator/runs.ts';
import { type BenchEnvironment, openEnvironment } from '../bench/environment.ts';
import { photoLikeJpeg } from '../bench/images.ts';
import { startMeasuredService } from '../bench/processes.ts';
import { compared, formatTable, median, meetsGoal, quantile, type Row } from '../bench/report.ts';
import { createBenchClient, createCallers } from '../bench/requests.ts';
import { childrenOf } from '../bench/usage.ts';
import { type SoakReceiver, startSoakReceiver } from './receiver.ts';
import { runStory } from './story.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '5' },
    accounts: { type: 'string', default: '10' },
  },
});
const rate = Number(values.rate);
const say = (line: string) => void process.stderr.write(`${line}\n`);
const none = (what: string, value: number): Row => ({ what, value, unit: '', goal: { atMost: 0 } });
const NOTIFIED_WITHIN_MS = 60_000;
const FAILS_EVERY = 10;
const CONNECTIONS = 50;
const SAMPLE_MS = 2000;
/** Share of the time in which memory is not judged: caches and compiled code are still growing. */
const WARM_UP = 0.2;
const MOST_GROWTH = 1.15;
const MB = 1024 * 1024;

/**
 * `npm run soak -- [--minutes 10] [--rate 5] [--accounts 10]`: jobs per second from accounts that
 * post, poll, are notified and delete, against the whole service on its real servers. Ends with 1
 * when any row misses its goal.
 */
async function soak(): Promise<void> {
  const signal = shutdownSignal();
  await using bench = await openEnvironment(say, signal);
  await using receiver = await startSoakReceiver(FAILS_EVERY);
  const environment = { ...bench, env: { ...bench.env, EGRESS_ALLOW_ORIGINS: receiver.origin } };
  await using service = await startMeasuredService(environment, 'worker/renderer');
  const { api, worker, renderer } = service;
  const [image = 0] = childrenOf(renderer.pid);
  const stopWatching = watchMemory({
    API: api.pid,
    worker: worker.pid,
    renderer: renderer.pid,
    'image process': image,
  });
  const { jobs, problems, expected } = await runStories(environment, api.origin, receiver, signal);
  const rows: Row[] = [
    { what: 'jobs', value: jobs, unit: '' },
    none('stories that did not end as promised', problems.length),
    ...stopWatching(),
    ...(await timesToEnd(environment)),
    ...(await leftBehind(environment, receiver, expected)),
  ];
  process.stdout.write(`${formatTable(rows)}\n`);
  for (const problem of new Set(problems)) say(problem);
  if (!rows.every(meetsGoal)) process.exitCode = 1;
}

/** @returns how many stories ran, their problems, and the jobs of which to be notified */
async function runStories(
  environment: BenchEnvironment,
  origin: string,
  receiver: SoakReceiver,
  signal: AbortSignal,
) {
  const problems: string[] = [];
  const expected = new Set<string>();
  const imageBase64 = (await photoLikeJpeg(640, 320)).toString('base64');
  const common = { imageBase64, webhookUrl: receiver.url, onNotify: (id: string) => void expected.add(id) };
  const callers = await createCallers(environment, Number(values.accounts));
  const clients = callers.map((caller) => createBenchClient(origin, [caller], CONNECTIONS));
  const count = Math.round(Number(values.minutes) * 60 * rate);
  const stories: Promise<void>[] = [];
  const start = performance.now();
  for (let n = 0; n < count && !signal.aborted; n += 1) {
    const client = clients[n % clients.length];
    if (client === undefined) throw new Error('There are no accounts.');
    stories.push(runStory(n, { ...common, client }).catch((error) => void problems.push(String(error))));
    if (n % (60 * rate) === 0) say(`${n} of ${count} jobs, ${problems.length} problems`);
    await delay(Math.max(0, start + ((n + 1) * 1000) / rate - performance.now()));
  }
  await Promise.all(stories);
  for (const client of clients) await client[Symbol.asyncDispose]();
  return { jobs: stories.length, problems, expected };
}

/**
 * Samples the resident memory of processes.
 * @returns a function that stops and compares the halves of the time
 */
function watchMemory(pids: Readonly<Record<string, number>>): () => Row[] {
  const samples = Object.entries(pids).map(([name, pid]) => ({ name, pid, mb: [] as number[] }));
  const timer = setInterval(() => {
    for (const { pid, mb } of samples) mb.push((readUsage(pid)?.rssBytes ?? 0) / MB);
  }, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return samples.map(({ name, mb }) => {
      const judged = mb.slice(Math.floor(mb.length * WARM_UP));
      const half = Math.ceil(judged.length / 2);
      const halves = { baseline: median(judged.slice(0, half)), value: median(judged.slice(half)) };
      const what = `${name}: resident memory, second half of the time (baseline: first half)`;
      return compared(what, 'MB', [halves], { atMost: MOST_GROWTH });
    });
  };
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
