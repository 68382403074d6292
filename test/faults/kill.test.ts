import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectConsistent } from './setup/invariants.ts';
import { newOrder } from './setup/order.ts';
import { startFaultWorker } from './setup/processes.ts';
import { pauseAtEveryStep, resume } from './setup/steps.ts';
import { KILLED, startWorld, type World } from './setup/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world?.[Symbol.asyncDispose]());

test.each(KILLED)('kill -9 of %s, with a job at every step', async (name) => {
  const paused = await pauseAtEveryStep(world);
  await world.processes[name].stop('SIGKILL');
  const [placed] = await Promise.all([resume(paused), world.processes[name].start()]);
  await expectConsistent(world, placed);
});

test('kill -9 of one of two workers under load: no request gets a 5xx or is charged twice', async () => {
  const { processes, context, failpoints } = world;
  await using _other = await startFaultWorker(context, failpoints, { name: 'other-worker' });
  const orders = await Promise.all(Array.from({ length: 40 }, (_, n) => newOrder(world, `order ${n}`)));
  const queue = orders.values();
  let posted = 0;
  const client = async () => {
    const placed = [];
    for (const order of queue) {
      placed.push({ order, first: await order.post() });
      posted += 1;
      if (posted === 10) await processes.worker.stop('SIGKILL');
    }
    return placed;
  };
  const placed = (await Promise.all([client(), client(), client(), client()])).flat();
  expect(placed.map(({ first }) => first.status)).toEqual(orders.map(() => 201));
  await expectConsistent(world, placed);
  await processes.worker.start();
});
