import { fetch } from 'undici';
import { expect } from 'vitest';
import type { LedgerRow } from '../../../stores/records.ts';
import { eventually } from '../../setup/eventually.ts';
import { type Answer, accepted, type Order } from './order.ts';
import type { World } from './world.ts';

/** From when MongoDB can be reached again. */
const UNDONE_WITHIN_MS = 60_000;

/** An order and what its first request was answered while the fault lasted. */
export type Placed = { order: Order; first: Answer };

/** What must hold once everything runs again: {@link expectAsAnswered}, and then {@link expectPlaced}. */
export async function expectSettled(world: World, placed: readonly Placed[]): Promise<void> {
  await expectAsAnswered(world, placed);
  await expectPlaced(world, placed);
}

/**
 * What must hold before anything is posted again: a request that was answered 5xx left no charge, no job and an unspent
 * key, and nothing runs any more that could change this; one that was answered 201 made that one job, which ends.
 */
export async function expectAsAnswered(world: World, placed: readonly Placed[]): Promise<void> {
  await Promise.all(
    placed.map(async ({ order, first: { status, body } }) => {
      if (status >= 500) await expectNothingKept(world, order);
      if (status !== 201 || body.job_id === undefined) return;
      await ended(world, body.job_id);
      await expectOneCharge(world, order, body.job_id);
    }),
  );
}

async function expectNothingKept(world: World, order: Order): Promise<void> {
  const { accounts, jobs, ledger } = world.stores;
  const { accountId, keyId, idempotencyKey, name } = order;
  // What still runs may charge, and is undone after it.
  await nothingRuns(world, `AccountId = "${accountId}" AND `);
  await eventually(async () => {
    expect(sums(await ledger.list(accountId)), name).toEqual(new Map());
    expect((await accounts.get(accountId)).balance, name).toBe(50);
    expect(await jobs.list(accountId, 10), name).toEqual([]);
    expect(await jobs.findByIdempotencyKey(keyId, idempotencyKey), name).toBeUndefined();
  }, UNDONE_WITHIN_MS);
}

/**
 * What must hold after it: every order can be placed and comes to one job that ends, is charged once (and refunded once
 * when it failed) and is replayed ever after; a first answer of 201 named that very job; the books are right and nothing
 * is left running or processing.
 */
export async function expectPlaced(world: World, placed: readonly Placed[]): Promise<void> {
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
  expect([...sums(rows)]).toEqual(end === 'failed' ? [] : [[jobId, -1]]);
  expect((await stores.jobs.list(accountId, 10)).map(({ id }) => id)).toEqual([jobId]);
  expect((await stores.accounts.get(accountId)).balance).toBe(end === 'failed' ? 50 : 49);
}

/** What each job has cost, without those that cost nothing. */
function sums(rows: readonly LedgerRow[]): Map<string, number> {
  const standing = new Map<string, number>();
  for (const { jobId, delta } of rows)
    if (jobId !== null) standing.set(jobId, (standing.get(jobId) ?? 0) + delta);
  return new Map([...standing].filter(([, sum]) => sum !== 0));
}

/**
 * The receiver was told at least once, and always of this job under one id; the log of deliveries says so. A job that
 * was undone may have ended before, and have been told of.
 */
async function expectTold({ stores, receiver }: World, order: Order, jobId: string): Promise<void> {
  const { accountId, path, name, end } = order;
  const rows = await stores.ledger.list(accountId);
  const undone = new Set(rows.flatMap((row) => (row.kind === 'void' ? [row.jobId] : [])));
  await eventually(async () => {
    const deliveries = (await stores.deliveries.list(accountId, 10)).filter((row) => !undone.has(row.jobId));
    expect(deliveries, name).toMatchObject([{ jobId, state: 'delivered' }]);
    const events = receiver.received(path).filter(({ event }) => !undone.has(event.job_id));
    const ids = events.map(({ id, event }) => `${id} ${event.job_id} ${event.type}`);
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
export async function nothingRuns({ temporal }: World, where = ''): Promise<void> {
  await eventually(async () => {
    const running = await temporal.workflow.count(`${where}ExecutionStatus = "Running"`);
    if (running.count > 0) throw new Error(`${running.count} workflows still run`);
  }, 60_000);
}
