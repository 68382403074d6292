import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../setup/eventually.ts';
import { expectPlaced, expectSettled } from './setup/invariants.ts';
import { newOrder, type Order } from './setup/order.ts';
import { startWorker } from './setup/processes.ts';
import { goOn, RENDERING, STORED, standAt, standEverywhere } from './setup/steps.ts';
import { startWorld, type World } from './setup/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** Objects that are stored for an account, of whatever job. */
async function stored({ accountId }: Order, ...buckets: ('inputs' | 'results')[]): Promise<string[]> {
  const anyTime = new Date(Date.now() + 3_600_000);
  const pages = await Promise.all(
    buckets.map((bucket) => world.images.list(bucket, anyTime, `${accountId}/`)),
  );
  return pages.flatMap(({ found }) => found.map(({ key }) => key).filter((key) => key.startsWith(accountId)));
}

test('a worker that was taken for dead finishes its work after another one has done it again', async () => {
  const { processes, around, failpoints } = world;
  const idle = failpoints.hold('worker run before', 'other-worker');
  await using _other = await startWorker(around, failpoints, { name: 'other-worker' });
  const [standing, doomed] = await Promise.all([
    standEverywhere(world),
    Promise.all([standAt(world, RENDERING), standAt(world, STORED)]),
  ]);
  processes.worker.pause();
  idle.release();
  const [placed, deleted] = await Promise.all([goOn(standing), goOn(doomed)]);
  await expectSettled(world, [...placed, ...deleted]);
  const [, twice] = deleted;
  expect(twice && (await stored(twice.order, 'results'))).toHaveLength(2);
  for (const { order, first } of deleted)
    expect((await order.remove(first.body.job_id ?? '')).status).toBe(204);
  processes.worker.resume();
  // Ends once what it had under way is done.
  await processes.worker.stop();
  await expectPlaced(world, placed);
  for (const { order, first } of deleted) {
    expect((await order.read(first.body.job_id ?? '')).status).toBe(404);
    expect(await stored(order, 'inputs', 'results')).toEqual([]);
  }
  await processes.worker.start();
});

test('a receiver that comes and goes is told in the end, also when the worker dies meanwhile', async () => {
  const { processes, receiver } = world;
  const flaps = [0, 503, 0, 500, 404, 0, 302, 429];
  const orders = await Promise.all(flaps.map((_, index) => newOrder(world, `receiver ${index}`)));
  for (const [index, { path }] of orders.entries())
    receiver.answers(path, (nth) => (nth <= index + 1 ? (flaps[nth - 1] ?? 204) : 204));
  const placed = await Promise.all(orders.map(async (order) => ({ order, first: await order.post() })));
  await eventually(async () => expect(receiver.received(orders.at(-1)?.path ?? '')).toHaveLength(3));
  await processes.worker.stop('SIGKILL');
  await processes.worker.start();
  await expectSettled(world, placed);
  for (const [index, { path }] of orders.entries())
    expect(receiver.received(path).length).toBeGreaterThan(index + 1);
});
