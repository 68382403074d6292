import { taskQueues } from '../../lib/protocol/task-queues.ts';
import { jobWorkflowId } from '../../lib/protocol/workflow-ids.ts';
import { startBare } from './baselines/start-bare.ts';
import type { Bench } from './bench.ts';
import { createCallers } from './callers.ts';
import { childrenOf } from './children.ts';
import type { BenchEnvironment } from './environment.ts';
import { quantile } from './load.ts';
import { createPoster } from './poster.ts';
import { AT_ONCE, type Measured, measure, type Subject, warmUp } from './rounds.ts';
import { jobBody, quickImage } from './sample-images.ts';
import { startServer, startService } from './service.ts';
import { median, type Row } from './table.ts';

/** Alternating, so that other load on the machine affects all subjects alike. */
const ROUNDS = 7;
/** Each may post 60 times a minute. */
const CALLERS = 150;

interface Round {
  bare: Measured;
  /** All calls of a job except those to Temporal. */
  calls: Measured;
  service: Measured;
}

/**
 * Compares jobs through the whole service with workflows that do nothing and with the other calls of a job, in
 * alternating rounds on the same servers.
 */
export const benchJobs: Bench = async (environment) => {
  await using bare = await startBare(environment);
  await using calls = await startServer(environment, 'dev/bench/baselines/service-calls-server');
  await using service = await startService(environment);
  const callers = await createCallers(environment, CALLERS);
  const body = jobBody(await quickImage());
  await using poster = createPoster(service.api.origin, callers, body, AT_ONCE);
  await using callsPoster = createPoster(calls.origin, callers, body, AT_ONCE, '/calls');
  const { jobs: queue } = taskQueues(environment.config.temporal.taskQueuePrefix);
  const { api, worker, renderer } = service;
  const subjects: Record<keyof Round, Subject> = {
    // This process calls Temporal, which in the service the API does.
    bare: {
      accept: bare.updateWithStart,
      queue: bare.queue,
      pids: { caller: process.pid, worker: bare.worker.pid },
    },
    calls: { accept: callsPoster.post, pids: { server: calls.process.pid } },
    service: {
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
      calls: await measure(environment, subjects.calls),
      service: await measure(environment, subjects.service),
    });
  return [...compare(rounds), ...processorTimes(rounds), await eventsRow(environment, await poster.post())];
};

function compare(rounds: readonly Round[]): Row[] {
  const row = (
    what: string,
    unit: string,
    figure: (measured: Measured) => number,
    goal?: Row['goal'],
  ): Row => ({
    what,
    value: median(rounds.map(({ service }) => figure(service))),
    unit,
    baseline: median(rounds.map(({ bare }) => figure(bare))),
    // The median of the ratios of the rounds, so that one round on a busy machine has little weight.
    ratio: median(rounds.map(({ service, bare }) => figure(service) / figure(bare))),
    ...(goal === undefined ? {} : { goal }),
  });
  const alone = (share: number) => (measured: Measured) => quantile(measured.alone, share);
  const together = (share: number) => (measured: Measured) => quantile(measured.together, share);
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

/** Compares a job with the sum of its parts, and breaks its processor time down by process. Means over all rounds. */
function processorTimes(rounds: readonly Round[]): Row[] {
  const mean = (figure: (round: Round) => number) =>
    rounds.reduce((sum, round) => sum + figure(round), 0) / rounds.length;
  const total = ({ cpuMs }: Measured) => Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0);
  const sumOfParts = mean((round) => total(round.bare) + total(round.calls));
  const job = mean((round) => total(round.service));
  const rowsOf = (subject: keyof Round): Row[] =>
    Object.keys(rounds[0]?.[subject].cpuMs ?? {}).map((name) => ({
      what: `processor time of ${LABELS[subject]}: ${name}`,
      value: mean((round) => round[subject].cpuMs[name] ?? 0),
      unit: 'ms',
    }));
  return [
    {
      what: 'processor time of a bare workflow and the other calls alone (baseline: a job)',
      value: sumOfParts,
      unit: 'ms',
      baseline: job,
      ratio: sumOfParts / job,
      goal: { atLeast: 0.85 },
    },
    ...rowsOf('bare'),
    ...rowsOf('calls'),
    ...rowsOf('service'),
  ];
}

const LABELS = { bare: 'a bare workflow', calls: 'the other calls', service: 'a job' } satisfies Record<
  keyof Round,
  string
>;

async function eventsRow({ temporal, stores }: BenchEnvironment, jobId: string): Promise<Row> {
  const workflow = temporal.workflow.getHandle(jobWorkflowId(jobId));
  await workflow.result();
  const job = await stores.jobs.get(jobId);
  if (job?.status !== 'completed') throw new Error(`Job ${jobId} is ${job?.status}.`);
  const { events } = await workflow.fetchHistory();
  const value = events?.length ?? Number.NaN;
  return { what: 'events in the history of a job', value, unit: 'events', goal: { atMost: 14 } };
}
