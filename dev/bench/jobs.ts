import { taskQueues } from '../../lib/protocol/task-queues.ts';
import { jobWorkflowId } from '../../lib/protocol/workflow-ids.ts';
import { startBare } from './bare.ts';
import type { Bench, BenchEnvironment } from './environment.ts';
import { quickImage } from './images.ts';
import { closedLoop, timed, untilCompleted } from './load.ts';
import { startMeasuredService } from './processes.ts';
import { compared, type Goal, quantile, type Row } from './report.ts';
import { createBenchClient, createCallers, jobBody } from './requests.ts';
import { type CpuByName, childrenOf, watchCpu } from './usage.ts';

/** Alternating, so that other load on the machine affects both subjects alike. */
const ROUNDS = 7;
/** Calls until V8 has optimised the code, as in a service that has been running for a while. */
const WARM_UP = 1500;
const ONE_BY_ONE = 40;
const PER_ROUND = 200;
const AT_ONCE = 32;
/** Each may post 60 times a minute. */
const CALLERS = 150;

interface Subject {
  accept: () => Promise<unknown>;
  queue: string;
  pids: Readonly<Record<string, number>>;
}

interface Measured {
  perSecond: number;
  /** Milliseconds of each call, one at a time. */
  alone: number[];
  /** Milliseconds of each call, {@link AT_ONCE} at a time. */
  together: number[];
  /** Processor time per job, by process. */
  cpuMs: CpuByName;
}

type Round = Record<'bare' | 'service', Measured>;

/** Compares jobs through the whole service with workflows that do nothing, on the same servers. */
export const benchJobs: Bench = async (environment) => {
  await using bare = await startBare(environment);
  await using service = await startMeasuredService(environment);
  const callers = await createCallers(environment, CALLERS);
  await using client = createBenchClient(service.api.origin, callers, AT_ONCE);
  const { api, worker, renderer } = service;
  const body = jobBody(await quickImage());
  const subjects: Record<keyof Round, Subject> = {
    bare: {
      accept: bare.updateWithStart,
      queue: bare.queue,
      // This process calls Temporal, which in the service the API does.
      pids: { caller: process.pid, worker: bare.worker.pid },
    },
    service: {
      accept: () => client.post(body),
      queue: taskQueues(environment.config.temporal.taskQueuePrefix).jobs,
      pids: {
        API: api.pid,
        worker: worker.pid,
        renderer: renderer.pid,
        ...Object.fromEntries(childrenOf(renderer.pid).map((pid, n) => [`image process ${n + 1}`, pid])),
      },
    },
  };
  for (const subject of Object.values(subjects)) await run(environment, subject, WARM_UP, AT_ONCE);
  const rounds: Round[] = [];
  for (let n = 0; n < ROUNDS; n++)
    rounds.push({
      bare: await measure(environment, subjects.bare),
      service: await measure(environment, subjects.service),
    });
  return [...comparison(rounds), ...processorTimes(rounds), await eventsRow(environment, client.post(body))];
};

async function measure(environment: BenchEnvironment, subject: Subject): Promise<Measured> {
  const alone = await run(environment, subject, ONE_BY_ONE, 1);
  const cpuSoFar = watchCpu({ ...environment.serverPids, ...subject.pids });
  let together: number[] = [];
  const tookMs = await timed(async () => {
    together = await run(environment, subject, PER_ROUND, AT_ONCE);
  });
  const cpuMs = Object.fromEntries(Object.entries(cpuSoFar()).map(([name, ms]) => [name, ms / PER_ROUND]));
  return { perSecond: PER_ROUND / (tookMs / 1000), alone, together, cpuMs };
}

/** Calls `count` times, and waits for the workflows. @returns the milliseconds of each call */
const run = ({ temporal }: BenchEnvironment, { accept, queue }: Subject, count: number, atOnce: number) =>
  untilCompleted(temporal, queue, count, () => closedLoop(count, atOnce, accept));

function comparison(rounds: readonly Round[]): Row[] {
  const row = (what: string, unit: string, figure: (measured: Measured) => number, goal?: Goal) =>
    compared(
      what,
      unit,
      rounds.map(({ service, bare }) => ({ value: figure(service), baseline: figure(bare) })),
      goal,
    );
  const alone = (share: number) => (measured: Measured) => quantile(measured.alone, share);
  const together = (share: number) => (measured: Measured) => quantile(measured.together, share);
  return [
    row(`jobs completed, ${AT_ONCE} at once (baseline: bare workflow)`, '1/s', (m) => m.perSecond, {
      atLeast: 0.6,
    }),
    row('POST /v1/jobs p50 (baseline: bare Update-with-Start)', 'ms', alone(0.5), { atMost: 1.2 }),
    row('POST /v1/jobs p99', 'ms', alone(0.99), { atMost: 1.5 }),
    row(`POST /v1/jobs p50, ${AT_ONCE} at once`, 'ms', together(0.5), { atMost: 1.6 }),
    row(`POST /v1/jobs p99, ${AT_ONCE} at once`, 'ms', together(0.99)),
  ];
}

/** Means over all rounds. */
function processorTimes(rounds: readonly Round[]): Row[] {
  const rowsOf = (subject: keyof Round, label: string): Row[] =>
    Object.keys(rounds[0]?.[subject].cpuMs ?? {}).map((name) => ({
      what: `processor time of ${label}: ${name}`,
      value: rounds.reduce((sum, round) => sum + (round[subject].cpuMs[name] ?? 0), 0) / rounds.length,
      unit: 'ms',
    }));
  return [...rowsOf('bare', 'a bare workflow'), ...rowsOf('service', 'a job')];
}

async function eventsRow({ temporal, stores }: BenchEnvironment, posted: Promise<string>): Promise<Row> {
  const jobId = await posted;
  const workflow = temporal.workflow.getHandle(jobWorkflowId(jobId));
  await workflow.result();
  const job = await stores.jobs.get(jobId);
  if (job?.status !== 'completed') throw new Error(`Job ${jobId} is ${job?.status}.`);
  const { historyLength } = await workflow.describe();
  return { what: 'events in the history of a job', value: historyLength, unit: '', goal: { atMost: 14 } };
}
