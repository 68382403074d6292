import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectConsistent } from './setup/invariants.ts';
import { newOrder } from './setup/order.ts';
import { startWorker } from './setup/processes.ts';
import { pauseAtEveryStep, resume } from './setup/steps.ts';
import { PROCESSES, startWorld, type World } from './setup/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world?.[Symbol.asyncDispose]());

test.each(PROCESSES)('kill -9 of %s, with a job at every step', async (name) => {
  const paused = await pauseAtEveryStep(world);
  await world.processes[name].stop('SIGKILL');
  const [placed] = await Promise.all([resume(paused), world.processes[name].start()]);
  await expectConsistent(world, placed);
});

test('kill -9 of one of two workers under load: no request gets a 5xx or is charged twice', async () => {
  const { processes, context, failpoints } = world;
  await using _other = await startWorker(context, failpoints, { name: 'other-worker' });
  const orders = await Promise.all(Array.from({ length: 40 }, (_, n) => newOrder(world, `order ${n}`)));
  const queue = orders.values();
  const durationsMs: number[] = [];
  const client = async () => {
    const placed = [];
    for (const order of queue) {
      const start = performance.now();
      const first = await order.post();
      durationsMs.push(performance.now() - start);
      placed.push({ order, first });
      if (durationsMs.length === 10) await processes.worker.stop('SIGKILL');
    }
    return placed;
  };
  const placed = (await Promise.all([client(), client(), client(), client()])).flat();
  expect(placed.map(({ first }) => first.status)).toEqual(orders.map(() => 201));
  process.stdout.write(`POST while a worker was killed: ${percentiles(durationsMs)}\n`);
  await expectConsistent(world, placed);
  await processes.worker.start();
});

function percentiles(ms: number[]): string {
  const ascending = ms.toSorted((a, b) => a - b);
  const at = (fraction: number) => Math.round(ascending[Math.ceil(fraction * ms.length) - 1] ?? 0);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms`;
}
