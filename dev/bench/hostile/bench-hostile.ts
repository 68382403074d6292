import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { taskQueues } from '../../../lib/protocol/task-queues.ts';
import type { Bench } from '../bench.ts';
import { createCallers } from '../callers.ts';
import { type TreeUsage, watchChildren } from '../children.ts';
import { untilIdle } from '../closed.ts';
import type { BenchEnvironment } from '../environment.ts';
import { quantile } from '../load.ts';
import type { ProcessUsage } from '../probe.ts';
import { jobBody, quickImage } from '../sample-images.ts';
import { startService } from '../service.ts';
import { formatTable, median, type Row } from '../table.ts';
import { type Attacker, createAttacker } from './attacker.ts';
import { type Attack, attacks } from './attacks.ts';
import { type Bystander, startBystander, type Watching } from './bystander.ts';
import { startSources } from './sources.ts';

const MB = 1e6;
const AT_ONCE = 4;
const SAMPLES = 40;
const BYSTANDERS = 60;
/** Periods without an attack before the first one. */
const QUIET_PERIODS = 4;
/** Between two requests of an attack, so that its input is measured and not a 429. */
const PAUSE_MS = 400;
const ATTACKER_PRIORITY = 15;

type Service = Awaited<ReturnType<typeof startService>>;

/** Measurements of a period with or without an attack. */
interface Period {
  bystander: Bystander;
  api: ProcessUsage;
  worker: ProcessUsage;
  children: TreeUsage;
  /** Number of inputs sent. */
  sent: number;
  /** Error codes, and statuses of the jobs. */
  outcomes: ReadonlySet<string>;
}

/**
 * Sends each hostile input, four at a time, from one free account, while another account posts and reads small jobs.
 * The baseline is the latency of that account in the quiet periods before, as the median of all periods so far.
 */
export const benchHostile: Bench = async (environment, only) => {
  await using sources = await startSources();
  const settings = { GENERATORS: 'preview', EGRESS_ALLOW_ORIGINS: sources.origin };
  await using service = await startService({ ...environment, env: { ...environment.env, ...settings } });
  const callers = await createCallers(environment, BYSTANDERS);
  await using bystander = startBystander(service.api.origin, callers, jobBody(await quickImage()));
  // Real attackers use their own machines, so building and sending attacks must not slow down the service.
  setPriority(ATTACKER_PRIORITY);
  const quiet: Period[] = [];
  for (let n = 0; n <= QUIET_PERIODS; n++) {
    const period = await measurePeriod(environment, service, bystander);
    if (n > 0) quiet.push(period);
  }
  const rows: Row[] = [];
  for (const attack of attacks(sources.origin).filter(({ name }) => name.includes(only))) {
    await attack.prepare();
    quiet.push(await measurePeriod(environment, service, bystander));
    const measured = rowsOf(attack.name, quiet, await underAttack(environment, service, bystander, attack));
    environment.say(formatTable(measured));
    rows.push(...measured);
  }
  return rows;
};

async function underAttack(
  environment: BenchEnvironment,
  service: Service,
  bystander: Watching,
  attack: Attack,
): Promise<Period> {
  await using attacker = await createAttacker(environment, service.api.origin);
  return await measurePeriod(environment, service, bystander, { attack, attacker });
}

/** Starts when no job of the previous period is running. */
async function measurePeriod(
  { temporal, config }: BenchEnvironment,
  { api, worker, renderer }: Service,
  bystander: Watching,
  hostile?: { attack: Attack; attacker: Attacker },
): Promise<Period> {
  await untilIdle(temporal, taskQueues(config.temporal.taskQueuePrefix).jobs);
  const outcomes = new Set<string>();
  let sent = 0;
  const loop = async () => {
    do {
      if (hostile !== undefined) outcomes.add(await hostile.attack.send(hostile.attacker));
      sent += 1;
      await delay(PAUSE_MS);
    } while (bystander.posts < SAMPLES);
  };
  const children = watchChildren(renderer.pid);
  let workerUsage: ProcessUsage | undefined;
  let observed: Bystander | undefined;
  const apiUsage = await api.process.during(async () => {
    workerUsage = await worker.during(async () => {
      bystander.begin();
      await Promise.all(Array.from({ length: AT_ONCE }, loop));
      observed = await bystander.end();
    });
  });
  if (workerUsage === undefined || observed === undefined) throw new Error('Nothing was measured.');
  return { bystander: observed, api: apiUsage, worker: workerUsage, children: children(), sent, outcomes };
}

function rowsOf(name: string, quiets: readonly Period[], hostile: Period): Row[] {
  const quiet = quiets.at(-1) ?? hostile;
  const compared = (what: string, timesOf: (bystander: Bystander) => number[], goal?: Row['goal']): Row => {
    const value = quantile(timesOf(hostile.bystander), 0.95);
    const baseline = median(quiets.map(({ bystander }) => quantile(timesOf(bystander), 0.95)));
    return {
      what: `${name}: ${what}`,
      value,
      unit: 'ms',
      baseline,
      ratio: value / baseline,
      ...(goal && { goal }),
    };
  };
  // Minus the processor time of the bystander's own requests, as measured in the quiet period.
  const posts = hostile.bystander.posts.length / quiet.bystander.posts.length;
  const perInput = (hostileMs: number, quietMs: number) =>
    Math.max(0, hostileMs - quietMs * posts) / hostile.sent;
  const apiCpu = perInput(hostile.api.cpuMs, quiet.api.cpuMs);
  const imageCpu = perInput(hostile.children.cpuMs, quiet.children.cpuMs);
  const row = (what: string, value: number, unit: string, atMost?: number): Row => ({
    what: `${name}: ${what}`,
    value,
    unit,
    ...(atMost === undefined ? {} : { goal: { atMost } }),
  });
  return [
    row(`sent (${[...hostile.outcomes].sort().join(', ')})`, hostile.sent, ''),
    compared("another's POST p95 (baseline: quiet)", ({ posts }) => posts, { atMost: 2 }),
    compared("another's GET p95", ({ gets }) => gets),
    row("another's requests that failed", hostile.bystander.failed.length, '', 0),
    row('API, processor time each', apiCpu, 'ms', 1000),
    row('API, longest block', hostile.api.longestBlockMs, 'ms', 100),
    row('worker, longest block', hostile.worker.longestBlockMs, 'ms', 100),
    row('image process, processor time each', imageCpu, 'ms'),
    row('image process, peak RSS', hostile.children.peakRssBytes / MB, 'MB', 1000),
  ];
}
