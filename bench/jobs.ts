import { taskQueues } from '../workflows/messages.ts';
import { startBare } from './bare/start.ts';
import type { Bench } from './bench.ts';
import { createCallers } from './callers.ts';
import { childrenOf } from './children.ts';
import type { BenchEnvironment } from './environment.ts';
import { quantile } from './load.ts';
import { jobBody, quickPicture } from './pictures.ts';
import { createPoster } from './poster.ts';
import { AT_ONCE, type Measured, measure, type Subject, warmUp } from './rounds.ts';
import { startServer, startService } from './service.ts';
import { median, type Row } from './table.ts';

/** In turns: what else the machine does then meets all alike. */
const ROUNDS = 7;
/** Sixty requests a minute are allowed to each. */
const CALLERS = 150;

interface Round {
  bare: Measured;
  parts: Measured;
  ours: Measured;
}

/**
 * Jobs through the whole service against workflows that do nothing, and against the calls a job makes besides, in turns
 * on the same servers.
 */
export const benchJobs: Bench = async (environment) => {
  await using bare = await startBare(environment);
  await using parts = await startServer(environment, 'bench/parts/server');
  await using service = await startService(environment);
  const callers = await createCallers(environment, CALLERS);
  const body = jobBody(await quickPicture());
  await using poster = createPoster(service.api.origin, callers, body, AT_ONCE);
  await using partsPoster = createPoster(parts.origin, callers, body, AT_ONCE, '/parts');
  const { jobs: queue } = taskQueues(environment.config.temporal.taskQueuePrefix);
  const { api, worker, renderer } = service;
  const subjects: Record<keyof Round, Subject> = {
    // What calls Temporal is this process, where the service has the API.
    bare: {
      accept: bare.updateWithStart,
      queue: bare.queue,
      pids: { caller: process.pid, worker: bare.worker.pid },
    },
    parts: { accept: partsPoster.post, pids: { parts: parts.process.pid } },
    ours: {
      accept: poster.post,
      queue,
      pids: {
        API: api.process.pid,
        worker: worker.pid,
        renderer: renderer.pid,
        ...imageProcesses(renderer.pid),
      },
    },
  };
  for (const subject of Object.values(subjects)) await warmUp(environment, subject);
  const rounds: Round[] = [];
  for (let n = 0; n < ROUNDS; n++)
    rounds.push({
      bare: await measure(environment, subjects.bare),
      parts: await measure(environment, subjects.parts),
      ours: await measure(environment, subjects.ours),
    });
  return [...compare(rounds), ...processorTimes(rounds), await eventsRow(environment, await poster.post())];
};

function compare(rounds: readonly Round[]): Row[] {
  const row = (what: string, unit: string, of: (measured: Measured) => number, goal?: Row['goal']): Row => ({
    what,
    value: median(rounds.map(({ ours }) => of(ours))),
    unit,
    baseline: median(rounds.map(({ bare }) => of(bare))),
    // Of each round by itself, so that a round in which the machine was busy counts as one.
    ratio: median(rounds.map(({ ours, bare }) => of(ours) / of(bare))),
    ...(goal === undefined ? {} : { goal }),
  });
  const alone = (part: number) => (measured: Measured) => quantile(measured.alone, part);
  const together = (part: number) => (measured: Measured) => quantile(measured.together, part);
  return [
    row(`jobs completed, ${AT_ONCE} at once (baseline: bare workflow)`, '1/s', (m) => m.perSecond, {
      atLeast: 0.6,
    }),
    row('POST /v1/jobs p50 (baseline: bare Update-with-Start)', 'ms', alone(0.5), { atMost: 1.2 }),
    row('POST /v1/jobs p99', 'ms', alone(0.99), { atMost: 1.5 }),
    row(`POST /v1/jobs p50, ${AT_ONCE} at once`, 'ms', together(0.5)),
    row(`POST /v1/jobs p99, ${AT_ONCE} at once`, 'ms', together(0.99)),
  ];
}

const imageProcesses = (renderer: number): Record<string, number> =>
  Object.fromEntries(childrenOf(renderer).map((pid, n) => [`image process ${n + 1}`, pid]));

/** How near a job is to the sum of its parts, and where the time goes. Over all rounds together, as times add up. */
function processorTimes(rounds: readonly Round[]): Row[] {
  const mean = (of: (round: Round) => number) =>
    rounds.reduce((sum, round) => sum + of(round), 0) / rounds.length;
  const total = ({ cpuMs }: Measured) => Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0);
  const parts = mean((round) => total(round.bare) + total(round.parts));
  const job = mean((round) => total(round.ours));
  const rowsOf = (subject: keyof Round): Row[] =>
    Object.keys(rounds[0]?.[subject].cpuMs ?? {}).map((name) => ({
      what: `processor time of ${LABELS[subject]}: ${name}`,
      value: mean((round) => round[subject].cpuMs[name] ?? 0),
      unit: 'ms',
    }));
  return [
    {
      what: 'processor time of a bare workflow and the other calls alone (baseline: a job)',
      value: parts,
      unit: 'ms',
      baseline: job,
      ratio: parts / job,
      goal: { atLeast: 0.85 },
    },
    ...rowsOf('bare'),
    ...rowsOf('parts'),
    ...rowsOf('ours'),
  ];
}

const LABELS = { bare: 'a bare workflow', parts: 'the other calls', ours: 'a job' } satisfies Record<
  keyof Round,
  string
>;

async function eventsRow({ temporal, stores }: BenchEnvironment, jobId: string): Promise<Row> {
  const workflow = temporal.workflow.getHandle(`job:${jobId}`);
  await workflow.result();
  const job = await stores.jobs.get(jobId);
  if (job?.status !== 'completed') throw new Error(`Job ${jobId} is ${job?.status}.`);
  const { events } = await workflow.fetchHistory();
  const value = events?.length ?? Number.NaN;
  return { what: 'events in the history of a job', value, unit: 'events', goal: { atMost: 14 } };
}
