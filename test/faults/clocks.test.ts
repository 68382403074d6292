import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectConsistent } from './setup/invariants.ts';
import { newOrder } from './setup/order.ts';
import { startApi, startFaultWorker } from './setup/processes.ts';
import { acceptDuring, pauseAt, RENDERING } from './setup/steps.ts';
import { startWorld, type World } from './setup/world.ts';

const FIVE_MINUTES_MS = 5 * 60_000;
/** Far below the clock skew, far above a heartbeat timeout and the start of a worker. */
const PLAUSIBLE_MS = 120_000;

let world: World;

beforeAll(async () => {
  world = await startWorld({ env: { ACCEPT_TIMEOUT_MS: '4000' } });
  await world.processes.worker.stop();
});
afterAll(() => world?.[Symbol.asyncDispose]());

test.each([
  { api: 'ahead', worker: 'behind', clockSkewMs: FIVE_MINUTES_MS },
  { api: 'behind', worker: 'ahead', clockSkewMs: -FIVE_MINUTES_MS },
])(
  'with the API clock 5 minutes $api and the worker clock 5 minutes $worker, late acceptances charge nothing',
  async ({ clockSkewMs }) => {
    const { context, failpoints } = world;
    const api = await startApi(context, failpoints, { name: `api ${clockSkewMs}`, clockSkewMs });
    await using _api = api.child;
    const clock = { name: `worker ${-clockSkewMs}`, clockSkewMs: -clockSkewMs };
    await using worker = await startFaultWorker(context, failpoints, clock);
    const skewed = { ...world, url: api.url };

    const placed = await acceptDuring(skewed, { start: () => {}, end: () => {} });
    expect(placed.map(({ first }) => first.status)).toEqual([201, 201, 201, 500]);
    const [accepted] = placed;
    const job = await world.stores.jobs.get(accepted?.first.body.job_id ?? '');
    // `createdAt` is by the worker's clock; the clock of this process is right.
    const ageMs = Date.now() - (job?.createdAt.getTime() ?? 0);
    expect(Math.round(ageMs / FIVE_MINUTES_MS)).toBe(Math.sign(clockSkewMs));

    const order = await newOrder(skewed, 'a job that no worker starts in time');
    await worker.stop();
    const first = await order.post();
    expect(first.status).toBe(500);
    await worker.start();
    await expectConsistent(skewed, [...placed, { order, first }]);
  },
);

test('a job started 5 minutes ahead and completed by a renderer 5 minutes behind has consistent times', async () => {
  const { context, failpoints } = world;
  const ahead = { name: 'renderer ahead', clockSkewMs: FIVE_MINUTES_MS };
  await using killed = await startFaultWorker(context, failpoints, ahead);
  const { order, hold, first } = await pauseAt(world, RENDERING);
  await killed.stop('SIGKILL');
  const behind = { name: 'renderer behind', clockSkewMs: -FIVE_MINUTES_MS };
  await using _other = await startFaultWorker(context, failpoints, behind);
  hold.release();

  const placed = [{ order, first: await first }];
  await expectConsistent(world, placed);
  const job = await world.stores.jobs.get(placed[0]?.first.body.job_id ?? '');
  expect(job?.createdAt.getTime()).toBeGreaterThan(Date.now());
  expect(job?.completedAt?.getTime()).toBeGreaterThanOrEqual(job?.createdAt.getTime() ?? Number.NaN);
  expect(job?.processingMs).toBeGreaterThanOrEqual(0);
  expect(job?.processingMs).toBeLessThan(PLAUSIBLE_MS);
});
