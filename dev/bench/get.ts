import type { Bench } from './environment.ts';
import { requestsPerSecond } from './load.ts';
import { startMeasuredServer } from './processes.ts';
import { compared, type Pair } from './report.ts';
import { type BenchClient, completedJob, createBenchClient, createCallers } from './requests.ts';

const ROUNDS = 5;
const PER_ROUND = 3000;
const CONNECTIONS = 20;
/** Each may read 300 times a minute. */
const CALLERS = 900;

/** Compares reading a job with a route that does the same two look-ups and nothing else. */
export const benchGet: Bench = async (environment) => {
  const callers = await createCallers(environment, CALLERS);
  const jobs = await Promise.all(callers.map((caller) => completedJob(environment, caller)));
  await using bare = await startMeasuredServer(environment, 'dev/bench/look-ups');
  await using api = await startMeasuredServer(environment);
  await using bareClient = createBenchClient(bare.origin, callers, CONNECTIONS);
  await using client = createBenchClient(api.origin, callers, CONNECTIONS);
  const job = (n: number) => `/api/v1/jobs/${jobs[n % CALLERS]}`;
  const lookUps = (n: number) => `/${jobs[n % CALLERS]}/${callers[n % CALLERS]?.keyId}`;
  const rounds: Pair[] = [];
  for (let round = 0; round <= ROUNDS; round++)
    rounds.push({
      value: await reads(client, job, round),
      baseline: await reads(bareClient, lookUps, round),
    });
  // The first round is for V8, which optimises the code.
  return [
    compared('GET /v1/jobs/{id} (baseline: the same two look-ups)', '1/s', rounds.slice(1), { atLeast: 0.8 }),
  ];
};

/** Reads each caller's job in turn, on from the last round. @returns reads per second */
const reads = (client: BenchClient, pathOf: (n: number) => string, round: number): Promise<number> =>
  requestsPerSecond(PER_ROUND, CONNECTIONS, async (n) => {
    const turn = round * PER_ROUND + n;
    const { status } = await client.request({ method: 'GET', path: pathOf(turn) }, turn);
    if (status !== 200) throw new Error(`${pathOf(turn)} was answered ${status}.`);
  });
