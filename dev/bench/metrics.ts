import { fetch } from 'undici';
import { loadConfig } from '../../lib/process/config/config.ts';
import { type Resources, withResources } from '../../lib/process/resources.ts';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import type { Bench } from './bench.ts';
import { createCallers } from './callers.ts';
import { countClosed, untilClosed } from './closed.ts';
import type { BenchEnvironment } from './environment.ts';
import { closedLoop, quantile } from './load.ts';
import { createPoster } from './poster.ts';
import { jobBody, quickImage } from './sample-images.ts';
import { startApi, startRenderer, startWorker } from './service.ts';
import { median, type Row } from './table.ts';

const ROUNDS = 15;
const PER_ROUND = 24;
const WARM_UP = 400;
const AT_ONCE = 16;
const CALLERS = 60;
/** Three times as often as usual. */
const SCRAPE_MS = 5000;

const PROCESSES = ['api', 'worker', 'renderer'] as const;
type Ports = Partial<Record<(typeof PROCESSES)[number], number>>;

/** Posts jobs and waits for their workflows. @returns the milliseconds of each POST */
type Post = (count: number, atOnce: number) => Promise<number[]>;

/** Compares POST to a service that measures and is scraped with one that does not, in alternating rounds. */
export const benchMetrics: Bench = async (environment) => {
  await using posts = await withResources(async (keep) => ({
    off: await open(environment, 'off', {}, keep),
    on: await open(environment, 'on', await choosePorts(environment), keep),
  }));
  for (const post of [posts.off, posts.on]) await post(WARM_UP, AT_ONCE);
  const rounds: Round[] = [];
  for (let n = 0; n < ROUNDS; n += 1) {
    const round = { off: 0, on: 0 };
    // Each goes first in half of the rounds.
    for (const name of n % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const))
      round[name] = quantile(await posts[name](PER_ROUND, 1), 0.5);
    rounds.push(round);
  }
  return [rowOf(rounds)];
};

/** The median time of a POST in each subject. */
type Round = Record<'off' | 'on', number>;

const rowOf = (rounds: readonly Round[]): Row => ({
  what: 'POST /v1/jobs p50 with metrics, scraped every 5 s (baseline: without)',
  value: median(rounds.map(({ on }) => on)),
  unit: 'ms',
  baseline: median(rounds.map(({ off }) => off)),
  ratio: median(rounds.map(({ on, off }) => on / off)),
  goal: { atMost: 1.05 },
});

async function choosePorts({ freePort }: BenchEnvironment): Promise<Ports> {
  const ports: Ports = {};
  for (const name of PROCESSES) ports[name] = await freePort();
  return ports;
}

/** Starts a service with queues of its own. */
async function open(
  environment: BenchEnvironment,
  prefix: string,
  ports: Ports,
  keep: Resources['use'],
): Promise<Post> {
  const own = (port?: number): BenchEnvironment => {
    const { env } = environment;
    const settings = {
      TASK_QUEUE_PREFIX: `${prefix}-${env.TASK_QUEUE_PREFIX}`,
      METRICS_PORT: port === undefined ? '' : String(port),
    };
    const all = { ...env, ...settings };
    return { ...environment, env: all, config: loadConfig(all) };
  };
  keep(await startWorker(own(ports.worker)));
  keep(await startRenderer(own(ports.renderer)));
  const api = keep(await startApi(own(ports.api)));
  keep(scrape(Object.values(ports)));
  const callers = await createCallers(environment, CALLERS);
  const poster = keep(createPoster(api.origin, callers, jobBody(await quickImage()), AT_ONCE));
  const { temporal } = environment;
  const { jobs: queue } = taskQueues(own().config.temporal.taskQueuePrefix);
  return async (count, atOnce) => {
    const before = await countClosed(temporal, queue);
    const took = await closedLoop(count, atOnce, poster.post);
    await untilClosed(temporal, queue, before + count);
    return took;
  };
}

function scrape(ports: readonly number[]): AsyncDisposable {
  const read = async (port: number) => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    await response.text();
  };
  let current: Promise<unknown> = Promise.resolve();
  // A scrape that fails would make the comparison kinder, so it ends the bench.
  const timer = setInterval(() => {
    current = Promise.all(ports.map(read));
  }, SCRAPE_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await current;
    },
  };
}
