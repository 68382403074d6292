import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectSettled } from './setup/invariants.ts';
import { newOrder } from './setup/order.ts';
import { startWorker } from './setup/processes.ts';
import { goOn, standEverywhere } from './setup/steps.ts';
import { startWorld, VICTIMS, type World } from './setup/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world?.[Symbol.asyncDispose]());

test.each(VICTIMS)('kill -9 of %s, with a job at every step of its life', async (victim) => {
  const standing = await standEverywhere(world);
  await world.processes[victim].stop('SIGKILL');
  const [placed] = await Promise.all([goOn(standing), world.processes[victim].start()]);
  await expectSettled(world, placed);
});

test('kill -9 of one of two workers while requests come in: none is answered 5xx, none is charged twice', async () => {
  const { processes, around, failpoints } = world;
  await using _other = await startWorker(around, failpoints, { name: 'other-worker' });
  const orders = await Promise.all(Array.from({ length: 40 }, (_, n) => newOrder(world, `order ${n}`)));
  const waiting = orders.values();
  const tookMs: number[] = [];
  const client = async () => {
    const placed = [];
    for (const order of waiting) {
      const begun = performance.now();
      const first = await order.post();
      tookMs.push(performance.now() - begun);
      placed.push({ order, first });
      if (tookMs.length === 10) await processes.worker.stop('SIGKILL');
    }
    return placed;
  };
  const placed = (await Promise.all([client(), client(), client(), client()])).flat();
  expect(placed.map(({ first }) => first.status)).toEqual(orders.map(() => 201));
  process.stdout.write(`POST while a worker was killed: ${spread(tookMs)}\n`);
  await expectSettled(world, placed);
  await processes.worker.start();
});

function spread(ms: number[]): string {
  const ascending = ms.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(ascending[Math.ceil(share * ms.length) - 1] ?? 0);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms`;
}
