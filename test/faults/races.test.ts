import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { expectConsistent, expectPlaced } from './setup/invariants.ts';
import { newOrder, type Order } from './setup/order.ts';
import { startFaultWorker } from './setup/processes.ts';
import { pauseAt, pauseAtEveryStep, RENDERING, resume, STORED } from './setup/steps.ts';
import { startWorld, type World } from './setup/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** Keys of all objects stored for the account. */
async function stored({ accountId }: Order, ...buckets: ('inputs' | 'results')[]): Promise<string[]> {
  const pages = await Promise.all(buckets.map((bucket) => world.images.list(bucket, `${accountId}/`)));
  return pages.flatMap(({ found }) => found.map(({ key }) => key).filter((key) => key.startsWith(accountId)));
}

test('a worker that was timed out finishes its work after another one has repeated it', async () => {
  const { processes, context, failpoints } = world;
  const idle = failpoints.hold('worker run before', 'other-worker');
  await using _other = await startFaultWorker(context, failpoints, { name: 'other-worker' });
  const [paused, pausedForDeletion] = await Promise.all([
    pauseAtEveryStep(world),
    Promise.all([pauseAt(world, RENDERING), pauseAt(world, STORED)]),
  ]);
  processes.worker.pause();
  idle.release();
  const [placed, deleted] = await Promise.all([resume(paused), resume(pausedForDeletion)]);
  await expectConsistent(world, [...placed, ...deleted]);
  const [, storedTwice] = deleted;
  expect(storedTwice && (await stored(storedTwice.order, 'results'))).toHaveLength(2);
  for (const { order, first } of deleted)
    expect((await order.remove(first.body.job_id ?? '')).status).toBe(204);
  processes.worker.resume();
  // Exits after finishing its running activities.
  await processes.worker.stop();
  await expectPlaced(world, placed);
  for (const { order, first } of deleted) {
    expect((await order.read(first.body.job_id ?? '')).status).toBe(404);
    expect(await stored(order, 'inputs', 'results')).toEqual([]);
  }
  await processes.worker.start();
});

test('an unreliable receiver gets its webhook in the end, even when the worker is killed meanwhile', async () => {
  const { processes, receiver } = world;
  const statuses = [0, 503, 0, 500, 404, 0, 302, 429];
  const orders = await Promise.all(statuses.map((_, index) => newOrder(world, `receiver ${index}`)));
  for (const [index, { path }] of orders.entries())
    receiver.behave((n) => (n <= index ? (statuses[n] ?? 204) : 204), path);
  const placed = await Promise.all(orders.map(async (order) => ({ order, first: await order.post() })));
  await vi.waitFor(
    async () => expect(receiver.receivedAt(orders.at(-1)?.path ?? '')).toHaveLength(3),
    60_000,
  );
  await processes.worker.stop('SIGKILL');
  await processes.worker.start();
  await expectConsistent(world, placed);
  for (const [index, { path }] of orders.entries())
    expect(receiver.receivedAt(path).length).toBeGreaterThan(index + 1);
});
