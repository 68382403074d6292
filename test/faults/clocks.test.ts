import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectSettled } from './setup/invariants.ts';
import { newOrder } from './setup/order.ts';
import { startApi, startWorker } from './setup/processes.ts';
import { acceptThrough, RENDERING, standAt } from './setup/steps.ts';
import { startWorld, type World } from './setup/world.ts';

const FIVE_MINUTES_MS = 5 * 60_000;
/** Far less than clocks are apart, far more than a heartbeat that is missed and a worker that starts. */
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
  'the clock of the API is 5 minutes $api, that of the worker 5 minutes $worker, and acceptances that are late charge nothing',
  async ({ clockSkewMs }) => {
    const { around, failpoints } = world;
    const api = await startApi(around, failpoints, { name: `api ${clockSkewMs}`, clockSkewMs });
    await using _api = api.child;
    const clock = { name: `worker ${-clockSkewMs}`, clockSkewMs: -clockSkewMs };
    await using worker = await startWorker(around, failpoints, clock);
    const skewed = { ...world, url: api.url };

    const placed = await acceptThrough(skewed, { strike: () => {}, mend: () => {} });
    expect(placed.map(({ first }) => first.status)).toEqual([201, 201, 201, 500]);
    const [told] = placed;
    const job = await world.stores.jobs.get(told?.first.body.job_id ?? '');
    // Made by the worker, and read by the clock of this process, which is right.
    const agoMs = Date.now() - (job?.createdAt.getTime() ?? 0);
    expect(Math.round(agoMs / FIVE_MINUTES_MS)).toBe(Math.sign(clockSkewMs));

    const order = await newOrder(skewed, 'a job that no worker sees in time');
    await worker.stop();
    const first = await order.post();
    expect(first.status).toBe(500);
    await worker.start();
    await expectSettled(skewed, [...placed, { order, first }]);
  },
);

test('a job that a renderer 5 minutes ahead began, and after its kill -9 one 5 minutes behind completed, has times that fit', async () => {
  const { around, failpoints } = world;
  const ahead = { name: 'renderer ahead', clockSkewMs: FIVE_MINUTES_MS };
  await using killed = await startWorker(around, failpoints, ahead);
  const { order, hold, first } = await standAt(world, RENDERING);
  await killed.stop('SIGKILL');
  const behind = { name: 'renderer behind', clockSkewMs: -FIVE_MINUTES_MS };
  await using _other = await startWorker(around, failpoints, behind);
  hold.release();

  const placed = [{ order, first: await first }];
  await expectSettled(world, placed);
  const job = await world.stores.jobs.get(placed[0]?.first.body.job_id ?? '');
  expect(job?.createdAt.getTime()).toBeGreaterThan(Date.now());
  expect(job?.completedAt?.getTime()).toBeGreaterThanOrEqual(job?.createdAt.getTime() ?? Number.NaN);
  expect(job?.processingMs).toBeGreaterThanOrEqual(0);
  expect(job?.processingMs).toBeLessThan(PLAUSIBLE_MS);
});
