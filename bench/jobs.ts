import { taskQueues } from '../workflows/messages.ts';
import { startBare } from './bare/start.ts';
import type { Bench } from './bench.ts';
import { createCallers } from './callers.ts';
import { countClosed, untilClosed } from './closed.ts';
import type { BenchEnvironment } from './environment.ts';
import { closedLoop, quantile, timed } from './load.ts';
import { jobBody, quickPicture } from './pictures.ts';
import { createPoster } from './poster.ts';
import { startService } from './service.ts';
import { median, type Row } from './table.ts';

/** Many short rounds in turns: what else the machine does then meets both alike. */
const ROUNDS = 9;
const ONE_BY_ONE = 20;
const PER_ROUND = 64;
const AT_ONCE = 32;
/** Sixty requests a minute are allowed to each. */
const CALLERS = 60;

/** One of the two that are compared: how it accepts a piece of work, and the queue its workflows end on. */
interface Subject {
  accept: () => Promise<unknown>;
  queue: string;
}

interface Measured {
  perSecond: number;
  alone: number[];
  together: number[];
}

/** Jobs through the whole service against workflows that do nothing, in turns on the same servers. */
export const benchJobs: Bench = async (environment) => {
  await using bare = await startBare(environment);
  await using service = await startService(environment);
  const callers = await createCallers(environment, CALLERS);
  const body = jobBody(await quickPicture());
  await using poster = createPoster(service.api.origin, callers, body, AT_ONCE);
  const { jobs: queue } = taskQueues(environment.config.temporal.taskQueuePrefix);
  const baseline: Subject = { accept: bare.updateWithStart, queue: bare.queue };
  const ours: Subject = { accept: poster.post, queue };
  const rounds: { baseline: Measured; ours: Measured }[] = [];
  for (let n = 0; n <= ROUNDS; n++)
    rounds.push({
      baseline: await measure(environment, baseline),
      ours: await measure(environment, ours),
    });
  // The first round warmed both up.
  return [...compare(rounds.slice(1)), await eventsRow(environment, await poster.post())];
};

async function measure({ temporal }: BenchEnvironment, { accept, queue }: Subject): Promise<Measured> {
  const before = await countClosed(temporal, queue);
  const alone = await closedLoop(ONE_BY_ONE, 1, accept);
  await untilClosed(temporal, queue, before + ONE_BY_ONE);
  let together: number[] = [];
  const tookMs = await timed(async () => {
    together = await closedLoop(PER_ROUND, AT_ONCE, accept);
    await untilClosed(temporal, queue, before + ONE_BY_ONE + PER_ROUND);
  });
  return { alone, together, perSecond: PER_ROUND / (tookMs / 1000) };
}

function compare(rounds: readonly { baseline: Measured; ours: Measured }[]): Row[] {
  const row = (what: string, unit: string, of: (measured: Measured) => number, goal?: Row['goal']): Row => ({
    what,
    value: median(rounds.map(({ ours }) => of(ours))),
    unit,
    baseline: median(rounds.map(({ baseline }) => of(baseline))),
    // Of each round by itself, so that a round in which the machine was busy counts as one.
    ratio: median(rounds.map(({ ours, baseline }) => of(ours) / of(baseline))),
    ...(goal === undefined ? {} : { goal }),
  });
  const alone = (part: number) => (measured: Measured) => quantile(measured.alone, part);
  const together = (part: number) => (measured: Measured) => quantile(measured.together, part);
  return [
    row(`jobs completed, ${AT_ONCE} at once (baseline: bare workflow)`, '1/s', (m) => m.perSecond, {
      atLeast: 0.8,
    }),
    row('POST /v1/jobs p50 (baseline: bare Update-with-Start)', 'ms', alone(0.5), { atMost: 1.5 }),
    row('POST /v1/jobs p99', 'ms', alone(0.99)),
    row(`POST /v1/jobs p50, ${AT_ONCE} at once`, 'ms', together(0.5)),
    row(`POST /v1/jobs p99, ${AT_ONCE} at once`, 'ms', together(0.99)),
  ];
}

async function eventsRow({ temporal, stores }: BenchEnvironment, jobId: string): Promise<Row> {
  const workflow = temporal.workflow.getHandle(`job:${jobId}`);
  await workflow.result();
  const job = await stores.jobs.get(jobId);
  if (job?.status !== 'completed') throw new Error(`Job ${jobId} is ${job?.status}.`);
  const { events } = await workflow.fetchHistory();
  const value = events?.length ?? Number.NaN;
  return { what: 'events in the history of a job', value, unit: 'events', goal: { atMost: 20 } };
}
