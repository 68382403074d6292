import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { taskQueues } from '../../workflows/messages.ts';
import type { Bench } from '../bench.ts';
import { createCallers } from '../callers.ts';
import { type TreeUsage, watchChildren } from '../children.ts';
import { untilIdle } from '../closed.ts';
import type { BenchEnvironment } from '../environment.ts';
import { quantile } from '../load.ts';
import { jobBody, quickPicture } from '../pictures.ts';
import type { Usage } from '../probe.ts';
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
/** Stretches without an attack before the first one. */
const QUIET_FIRST = 4;
/** Between two of a kind, so that what is measured is the input and not the answer 429. */
const PAUSE_MS = 400;
const ATTACKERS_PRIORITY = 15;

type Service = Awaited<ReturnType<typeof startService>>;

/** What a stretch of time cost, and how the bystander fared in it. */
interface Stretch {
  bystander: Bystander;
  api: Usage;
  worker: Usage;
  children: TreeUsage;
  /** Inputs sent, and the answers and ends they came to. */
  sent: number;
  outcomes: ReadonlySet<string>;
}

/**
 * Each hostile input, four at a time by one free account, while another account posts and reads small jobs. The
 * baseline is the same account in the quiet before each of them, the median over those so far.
 */
export const benchHostile: Bench = async (environment, only) => {
  await using sources = await startSources();
  const own = { GENERATORS: 'preview', EGRESS_ALLOW_ORIGINS: sources.origin };
  const preview = { ...environment, env: { ...environment.env, ...own } };
  await using service = await startService(preview);
  const callers = await createCallers(environment, BYSTANDERS);
  await using bystander = startBystander(service.api.origin, callers, jobBody(await quickPicture()));
  // Attackers have machines of their own; here they get what the others leave.
  setPriority(ATTACKERS_PRIORITY);
  const quiet: Stretch[] = [];
  for (let n = 0; n <= QUIET_FIRST; n++) {
    const warm = await stretch(environment, service, bystander);
    if (n > 0) quiet.push(warm);
  }
  const rows: Row[] = [];
  for (const attack of attacks(sources.origin).filter(({ name }) => name.includes(only))) {
    await attack.prepare();
    quiet.push(await stretch(environment, service, bystander));
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
): Promise<Stretch> {
  await using attacker = await createAttacker(environment, service.api.origin);
  return await stretch(environment, service, bystander, { attack, attacker });
}

/** Begins once nothing is left to do of the one before. */
async function stretch(
  { temporal, config }: BenchEnvironment,
  { api, worker, renderer }: Service,
  bystander: Watching,
  hostile?: { attack: Attack; attacker: Attacker },
): Promise<Stretch> {
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
  let workerUsage: Usage | undefined;
  let seen: Bystander | undefined;
  const apiUsage = await api.process.during(async () => {
    workerUsage = await worker.during(async () => {
      bystander.begin();
      await Promise.all(Array.from({ length: AT_ONCE }, loop));
      seen = await bystander.end();
    });
  });
  if (workerUsage === undefined || seen === undefined) throw new Error('Nothing was measured.');
  return { bystander: seen, api: apiUsage, worker: workerUsage, children: children(), sent, outcomes };
}

function rowsOf(name: string, quiets: readonly Stretch[], hostile: Stretch): Row[] {
  const quiet = quiets.at(-1) ?? hostile;
  const compared = (what: string, of: (seen: Bystander) => number[], goal?: Row['goal']): Row => {
    const value = quantile(of(hostile.bystander), 0.95);
    const baseline = median(quiets.map(({ bystander }) => quantile(of(bystander), 0.95)));
    return {
      what: `${name}: ${what}`,
      value,
      unit: 'ms',
      baseline,
      ratio: value / baseline,
      ...(goal && { goal }),
    };
  };
  const each = (more: number, calls: number, before: number, callsBefore: number) =>
    Math.max(0, more - (before / callsBefore) * calls) / hostile.sent;
  const calls = [hostile.bystander.posts.length, quiet.bystander.posts.length] as const;
  const apiCpu = each(hostile.api.cpuMs, calls[0], quiet.api.cpuMs, calls[1]);
  const imageCpu = each(hostile.children.cpuMs, calls[0], quiet.children.cpuMs, calls[1]);
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
