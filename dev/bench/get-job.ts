import autocannon from 'autocannon';
import { withResources } from '../../lib/process/resources.ts';
import { acceptJob } from './accepted-job.ts';
import type { Bench } from './bench.ts';
import { type BenchCaller, callerHeaders, createCallers } from './callers.ts';
import type { BenchEnvironment } from './environment.ts';
import { startProcess } from './measured-process.ts';
import { startApi } from './service.ts';
import { median, type Row } from './table.ts';

const ROUNDS = 5;
const SECONDS = 2;
const CONNECTIONS = 20;
/** Each may read 300 times a minute. */
const CALLERS = 900;

interface Reads {
  path: string;
  headers: Record<string, string>;
}

/** Compares reading a job with bare routes that only do the look-ups, in alternating rounds. */
export const benchGetJob: Bench = async (environment) => {
  const callers = await createCallers(environment, CALLERS);
  const completed = await Promise.all(callers.map((caller) => completedJob(environment, caller)));
  await using bare = await startLookUps(environment);
  await using api = await startApi(environment);
  const requests = (path: (n: number) => string): Reads[] =>
    callers.map((_, n) => ({ path: path(n), headers: callerHeaders(callers, n) }));
  const job = (n: number) => completed[n]?.jobId ?? '';
  const subjects = [
    { origin: api.origin, requests: requests((n) => `/api/v1/jobs/${job(n)}`) },
    { origin: bare.origin, requests: requests((n) => `/two/${job(n)}/${completed[n]?.keyId}`) },
    { origin: bare.origin, requests: requests((n) => `/one/${job(n)}`) },
  ];
  for (const { origin, requests } of subjects) await perSecond(origin, requests, 1);
  const rounds: number[][] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const round: number[] = [];
    for (const { origin, requests } of subjects) round.push(await perSecond(origin, requests, SECONDS));
    rounds.push(round);
  }
  return [
    row(rounds, 1, 'GET /v1/jobs/{id} (baseline: bare route, the same two look-ups)', 0.8),
    row(rounds, 2, 'GET /v1/jobs/{id} (baseline: bare route, one look-up)', 0.6),
  ];
};

function row(rounds: readonly number[][], baseline: number, what: string, atLeast: number): Row {
  const rateOf = (subject: number) => (round: number[]) => round[subject] ?? Number.NaN;
  return {
    what,
    value: median(rounds.map(rateOf(0))),
    unit: '1/s',
    baseline: median(rounds.map(rateOf(baseline))),
    ratio: median(rounds.map((round) => rateOf(0)(round) / rateOf(baseline)(round))),
    goal: { atLeast },
  };
}

async function perSecond(url: string, requests: Reads[], duration: number): Promise<number> {
  const result = await autocannon({ url, requests, duration, connections: CONNECTIONS });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(
      `Of the requests to ${url}, ${result.non2xx} were not answered 2xx and ${result.errors} failed.`,
    );
  return result.requests.total / result.duration;
}

async function completedJob(environment: BenchEnvironment, caller: BenchCaller) {
  const job = await acceptJob(environment, caller);
  const results = [{ bucket: 'results' as const, key: `${caller.accountId}/${job.jobId}-edited.jpeg` }];
  await environment.stores.jobs.complete(job.jobId, { results, processingMs: 1234 });
  return job;
}

function startLookUps({ env, freePort, logFile }: BenchEnvironment) {
  return withResources(async (keep) => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    keep(
      await startProcess({
        module: 'dev/bench/baselines/look-up-server',
        env: { ...env, API_PORT: String(port) },
        logFile: logFile('look-ups'),
        ready: async () => (await fetch(`${origin}/one/none`)).body?.cancel(),
      }),
    );
    return { origin };
  });
}
