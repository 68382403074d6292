import { fetch } from 'undici';
import { expect } from 'vitest';
import { eventually } from '../../setup/eventually.ts';
import { type Answer, accepted, type Order } from './order.ts';
import type { World } from './world.ts';

/** An order and what its first request was answered while the fault lasted. */
export type Placed = { order: Order; first: Answer };

/**
 * What must hold once everything runs again: every order can be placed and comes to one job that ends, is charged
 * once (and refunded once when it failed) and is replayed ever after; a first answer of 201 named that very job; the books are right and nothing is left
 * running or processing.
 */
export async function expectSettled(world: World, placed: readonly Placed[]): Promise<void> {
  await Promise.all(
    placed.map(async ({ order, first }) => {
      const jobId = await accepted(order);
      if (first.status === 201) expect(jobId).toBe(first.body.job_id);
      else expect([first.status, first.body.error?.code]).toEqual(expect.toBeOneOf(FAILURES));
      await ended(world, jobId);
      const job = { job_id: jobId, status: order.end, images_charged: 1 };
      expect((await order.post()).body).toMatchObject(job);
      const { body } = await order.read(jobId);
      expect(body).toMatchObject(job);
      for (const url of body.result_urls ?? []) expect((await fetch(url)).status).toBe(200);
      expect(body.result_urls).toHaveLength(order.end === 'completed' ? 1 : 0);
      await expectOneCharge(world, order, jobId);
      await expectTold(world, order, jobId);
    }),
  );
  expect(await world.stores.ledger.audit()).toEqual([]);
  expect(await world.mongo.db.collection('jobs').countDocuments({ status: 'processing' })).toBe(0);
  await nothingRuns(world);
}

/** No answer at all, or the one failure a client may retry. */
const FAILURES = [
  [0, undefined],
  [500, 'internal_error'],
];

/** Exactly one job, and one charge that stands unless the job failed; what was voided on the way was given back. */
async function expectOneCharge({ stores }: World, { accountId, end }: Order, jobId: string): Promise<void> {
  const rows = await stores.ledger.list(accountId);
  const kinds = rows.flatMap(({ kind, jobId: id }) => (id === jobId ? [kind] : []));
  expect(kinds).toEqual(end === 'failed' ? ['charge', 'refund'] : ['charge']);
  const standing = new Map<string, number>();
  for (const { jobId: id, delta } of rows) if (id !== null) standing.set(id, (standing.get(id) ?? 0) + delta);
  expect([...standing].filter(([, sum]) => sum !== 0)).toEqual(end === 'failed' ? [] : [[jobId, -1]]);
  expect((await stores.jobs.list(accountId, 10)).map(({ id }) => id)).toEqual([jobId]);
  expect((await stores.accounts.get(accountId)).balance).toBe(end === 'failed' ? 50 : 49);
}

/** The receiver was told at least once, and always of this job under one id; the log of deliveries says so. */
async function expectTold({ stores, receiver }: World, order: Order, jobId: string): Promise<void> {
  const { accountId, path, name, end } = order;
  await eventually(async () => {
    const deliveries = await stores.deliveries.list(accountId, 10);
    expect(deliveries, name).toMatchObject([{ jobId, state: 'delivered' }]);
    const ids = receiver.received(path).map(({ id, event }) => `${id} ${event.job_id} ${event.type}`);
    expect(new Set(ids), name).toEqual(new Set([`${deliveries[0]?.id} ${jobId} job.${end}`]));
    // Each poll that a frozen worker had open takes one task with it, until its heartbeat is missed.
  }, 180_000);
}

async function ended({ stores }: World, jobId: string): Promise<void> {
  await eventually(async () => {
    const status = (await stores.jobs.get(jobId))?.status;
    if (status !== 'completed' && status !== 'failed') throw new Error(`job ${jobId} is ${status}`);
  }, 90_000);
}

/** Visibility follows the workflows a moment later. */
export async function nothingRuns({ temporal }: World): Promise<void> {
  await eventually(async () => {
    const running = await temporal.workflow.count('ExecutionStatus = "Running"');
    if (running.count > 0) throw new Error(`${running.count} workflows still run`);
  }, 60_000);
}
