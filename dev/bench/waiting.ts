import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { collections } from '../../lib/stores/mongo/documents.ts';
import type { Bench, BenchEnvironment } from './environment.ts';
import { closedLoop } from './load.ts';
import { type MeasuredServer, startMeasuredServer } from './processes.ts';
import { quantile, type Row } from './report.ts';
import { acceptedJob, type BenchCaller, callerHeaders, createCallers } from './requests.ts';

/** A multiple of CALLERS, like WARM_UP. */
const WAITERS = 1000;
/** Requests of each kind until V8 has optimised the code. */
const WARM_UP = 300;
/** Each may read 300 times a minute. */
const CALLERS = 20;
/** Jobs that end at the same time. */
const ENDS_AT_ONCE = 4;
const POLL_MS = 50;

const KINDS = ['prefer', 'events'] as const;
type Kind = (typeof KINDS)[number];

interface Subject {
  environment: BenchEnvironment;
  api: MeasuredServer;
  metricsPort: number;
  callers: readonly BenchCaller[];
}

/** Requests that wait for jobs, which the bench then ends in the database. */
export const benchWaiting: Bench = async (environment, only) => {
  const metricsPort = await environment.freePort();
  const callers = await createCallers(environment, CALLERS);
  const env = { ...environment.env, METRICS_PORT: String(metricsPort) };
  await using api = await startMeasuredServer({ ...environment, env });
  const subject = { environment, api, metricsPort, callers };
  const rows: Row[] = [];
  for (const kind of KINDS.filter((each) => each.includes(only))) {
    await measure(subject, kind, WARM_UP);
    rows.push(...(await measure(subject, kind, WAITERS)));
  }
  return rows;
};

async function measure(subject: Subject, kind: Kind, count: number): Promise<Row[]> {
  const { environment, api, callers } = subject;
  const jobIds: string[] = [];
  while (jobIds.length < count)
    for (const caller of callers) jobIds.push(await acceptedJob(environment, caller));
  const { extraRssBytes, result } = await api.during(() => waitForAll(subject, kind, jobIds));
  const what = `${count} requests ${kind === 'prefer' ? 'with Prefer: wait' : 'for event streams'}`;
  return [
    { what: `${what}: memory`, value: extraRssBytes / 2 ** 20, unit: 'MB', goal: { atMost: 64 } },
    { what: `${what}: queries while they wait`, value: result.queries, unit: '', goal: { atMost: 0 } },
    {
      what: `${what}: from the end of the job, p95`,
      value: quantile(result.took, 0.95),
      unit: 'ms',
      goal: { atMost: 100 },
    },
  ];
}

/**
 * @returns the milliseconds from each write that ends a job to the end of its response, and the
 * queries of jobs
 */
async function waitForAll(subject: Subject, kind: Kind, jobIds: readonly string[]) {
  const { environment, api, callers } = subject;
  const agent = new Agent({ connections: jobIds.length, headersTimeout: 0, bodyTimeout: 0 });
  const path = kind === 'events' ? '/events' : '';
  const waiting = jobIds.map((jobId, n) => {
    const headers = { ...callerHeaders(callers, n), prefer: 'wait=60' };
    return answered(`${api.origin}/api/v1/jobs/${jobId}${path}`, headers, agent);
  });
  // Each is awaited once its job ends.
  for (const each of waiting) each.catch(() => {});
  try {
    while ((await waiters(subject, kind)) < jobIds.length) await delay(POLL_MS);
    const before = await queriesOfJobs(environment);
    const took = await closedLoop(jobIds.length, ENDS_AT_ONCE, (n) =>
      Promise.all([end(environment, jobIds[n] ?? ''), waiting[n]]),
    );
    return { queries: (await queriesOfJobs(environment)) - before, took };
  } finally {
    await agent.destroy();
  }
}

/** Reads the whole response. @throws Error unless the job has completed in it */
async function answered(url: string, headers: Record<string, string>, dispatcher: Agent): Promise<void> {
  const response = await fetch(url, { headers, dispatcher });
  const text = await response.text();
  if (!text.includes('"completed"')) throw new Error(`A request was answered ${response.status}: ${text}`);
}

async function waiters({ metricsPort }: Subject, kind: Kind): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const counts = [...page.matchAll(/^imagejob_waiting_for_jobs\{kind="(\w+)"\} (\d+)$/gm)];
  return Number(counts.find(([, name]) => name === kind)?.[2]);
}

/** A single write, because JobStore.complete queries the job first. */
async function end({ mongo }: BenchEnvironment, jobId: string): Promise<void> {
  const result = { results: [], completedAt: new Date(), processingMs: 1234 };
  await collections(mongo.db).jobs.updateOne({ _id: jobId }, { $set: { status: 'completed', ...result } });
}

/** How often all processes have queried jobs so far. */
async function queriesOfJobs({ mongo }: BenchEnvironment): Promise<number> {
  const { totals } = await mongo.db.admin().command({ top: 1 });
  return totals[`${mongo.db.databaseName}.jobs`].queries.count;
}
