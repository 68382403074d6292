import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { taskQueues } from '../../../lib/protocol/task-queues.ts';
import type { Bench, BenchEnvironment } from '../environment.ts';
import { quickImage } from '../images.ts';
import { untilIdle } from '../load.ts';
import type { ProcessUsage } from '../probe.ts';
import { startMeasuredService } from '../processes.ts';
import { formatTable, type Goal, median, quantile, type Row } from '../report.ts';
import { createCallers, jobBody } from '../requests.ts';
import { type TreeUsage, watchChildren } from '../usage.ts';
import { type Attacker, createAttacker, type HostileRequest, jobRequest } from './attack.ts';
import { EXPENSIVE, HONEST, type Images, REFUSED } from './hostile-images.ts';
import { hostileRequests } from './requests.ts';
import { hostileSources, startSources } from './sources.ts';
import { type Bystander, type BystanderSample, startBystander } from './watch-bystander.ts';

const MB = 1e6;
const AT_ONCE = 4;
/** POSTs of the bystander in a period. */
const SAMPLES = 40;
const BYSTANDERS = 60;
/** Periods without an attack before the first one. */
const QUIET_PERIODS = 4;
/** Between two requests of an attack, so that its input is measured and not a 429. */
const PAUSE_MS = 400;
const ATTACKER_PRIORITY = 15;
/** The tool with the largest result. */
const HOSTILE_TOOL = 'image-upscaling';

interface Subject {
  environment: BenchEnvironment;
  service: Awaited<ReturnType<typeof startMeasuredService>>;
  bystander: Bystander;
}

/** Measurements of a period with or without an attack. */
interface Period {
  samples: readonly BystanderSample[];
  api: ProcessUsage;
  worker: ProcessUsage;
  children: TreeUsage;
  /** Number of inputs sent. */
  sent: number;
  /** Error codes, and statuses of the jobs. */
  outcomes: ReadonlySet<string>;
}

/**
 * Sends each hostile input, four at a time, from one free account, while other accounts post and
 * read small jobs. The baseline is the latency of the ordinary accounts in the quiet periods so
 * far, as the median of these periods.
 */
export const benchHostile: Bench = async (environment, only) => {
  await using sources = await startSources();
  const env = { ...environment.env, EGRESS_ALLOW_ORIGINS: sources.origin };
  await using service = await startMeasuredService({ ...environment, env }, 'worker/renderer');
  const { origin } = service.api;
  const callers = await createCallers(environment, BYSTANDERS);
  const body = jobBody(await quickImage()).toString();
  await using bystander = startBystander({ origin, callers, body });
  const subject = { environment, service, bystander };
  // Real attackers use their own machines, so building and sending attacks must not slow down the
  // service.
  setPriority(ATTACKER_PRIORITY);
  const quiet: Period[] = [];
  for (let n = 0; n <= QUIET_PERIODS; n++) {
    const period = await measurePeriod(subject);
    if (n > 0) quiet.push(period);
  }
  const rows: Row[] = [];
  for (const attack of attacks(sources.origin).filter(({ name }) => name.includes(only))) {
    await using attacker = await createAttacker(environment, origin, attack);
    quiet.push(await measurePeriod(subject));
    const measured = rowsOf(attack.name, quiet, await measurePeriod(subject, attacker));
    environment.say(formatTable(measured));
    rows.push(...measured);
  }
  return rows;
};

const attacks = (sources: string): HostileRequest[] => [
  ...imageAttacks('honest', HONEST),
  ...imageAttacks('expensive', EXPENSIVE),
  ...imageAttacks('refused', REFUSED),
  ...hostileRequests(),
  ...hostileSources(sources, HOSTILE_TOOL),
];

const imageAttacks = (kind: string, images: Images): HostileRequest[] =>
  Object.entries(images).map(([name, make]) =>
    jobRequest(`${kind}: ${name}`, async () => jobBody(await make(), { tool: HOSTILE_TOOL })),
  );

/** Starts when no job of the previous period is running. */
async function measurePeriod(subject: Subject, attacker?: Attacker): Promise<Period> {
  const { environment, service, bystander } = subject;
  await untilIdle(environment.temporal, taskQueues(environment.config.temporal.taskQueuePrefix).jobs);
  const outcomes = new Set<string>();
  let sent = 0;
  const loop = async () => {
    do {
      if (attacker !== undefined) outcomes.add(await attacker.send());
      sent += 1;
      await delay(PAUSE_MS);
    } while (postsOf(bystander.samples).length < SAMPLES);
  };
  const children = watchChildren(service.renderer.pid);
  const api = await service.api.during(() =>
    service.worker.during(async () => {
      bystander.begin();
      await Promise.all(Array.from({ length: AT_ONCE }, loop));
      return bystander.end();
    }),
  );
  const worker = api.result;
  return { samples: worker.result, api, worker, children: children(), sent, outcomes };
}

const timesOf = (samples: readonly BystanderSample[], wanted: 'GET' | 'POST') =>
  samples.filter(({ method }) => method === wanted).map(({ ms }) => ms);
const postsOf = (samples: readonly BystanderSample[]) => timesOf(samples, 'POST');

function rowsOf(name: string, quiets: readonly Period[], hostile: Period): Row[] {
  const quiet = quiets.at(-1) ?? hostile;
  const slowed = (what: string, method: 'GET' | 'POST', goal?: Goal): Row => {
    const p95 = ({ samples }: Period) => quantile(timesOf(samples, method), 0.95);
    const [value, baseline] = [p95(hostile), median(quiets.map(p95))];
    const ratio = value / baseline;
    return { what: `${name}: ${what}`, value, unit: 'ms', baseline, ratio, ...(goal && { goal }) };
  };
  // Minus the processor time of the bystander's own requests, as measured in the quiet period.
  const posts = postsOf(hostile.samples).length / postsOf(quiet.samples).length;
  const perInput = (hostileMs: number, quietMs: number) =>
    Math.max(0, hostileMs - quietMs * posts) / hostile.sent;
  const row = (what: string, value: number, unit: string, atMost?: number): Row => ({
    what: `${name}: ${what}`,
    value,
    unit,
    ...(atMost !== undefined && { goal: { atMost } }),
  });
  const failed = hostile.samples.filter(({ status }) => status >= 300).length;
  return [
    row(`sent (${[...hostile.outcomes].sort().join(', ')})`, hostile.sent, ''),
    slowed("another's POST p95 (baseline: quiet)", 'POST', { atMost: 2 }),
    slowed("another's GET p95", 'GET'),
    row("another's requests that failed", failed, '', 0),
    row('API, processor time each', perInput(hostile.api.cpuMs, quiet.api.cpuMs), 'ms', 1000),
    row('API, longest block', hostile.api.longestBlockMs, 'ms', 100),
    row('worker, longest block', hostile.worker.longestBlockMs, 'ms', 100),
    row('image process, processor time each', perInput(hostile.children.cpuMs, quiet.children.cpuMs), 'ms'),
    row('image process, peak RSS', hostile.children.peakRssBytes / MB, 'MB', 1000),
  ];
}
