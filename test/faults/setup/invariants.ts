import { fetch } from 'undici';
import { expect } from 'vitest';
import type { LedgerRow } from '../../../domain/records.ts';
import { eventually } from '../../setup/eventually.ts';
import { accepted, type HttpResponse, type Order } from './order.ts';
import type { World } from './world.ts';

/** After MongoDB is reachable again. */
const VOIDED_WITHIN_MS = 60_000;

/** An order and the response to its first request, which was sent during the fault. */
export type Placed = { order: Order; first: HttpResponse };

/** Everything that must hold after a fault. */
export async function expectConsistent(world: World, placed: readonly Placed[]): Promise<void> {
  await expectAsResponded(world, placed);
  await expectPlaced(world, placed);
}

/**
 * What must hold before any request is retried. A 5xx left no charge, no job and an unused key, and no workflow is
 * running that could change this. A 201 created exactly one job, which ends.
 */
async function expectAsResponded(world: World, placed: readonly Placed[]): Promise<void> {
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
  // A running workflow may still charge; the charge is then voided.
  await nothingRuns(world, `AccountId = "${accountId}" AND `);
  await eventually(async () => {
    expect(netAmounts(await ledger.list(accountId)), name).toEqual(new Map());
    expect((await accounts.get(accountId)).balance, name).toBe(50);
    expect(await jobs.list(accountId, 10), name).toEqual([]);
    expect(await jobs.findByIdempotencyKey(keyId, idempotencyKey), name).toBeUndefined();
  }, VOIDED_WITHIN_MS);
}

/**
 * What must hold after retries. Every order results in exactly one job, the one that a first 201 named. It ends, is
 * charged once, refunded once if it failed, and replayed from then on. The ledger audit finds nothing, and no workflow
 * is running.
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
      for (const url of body.result_urls ?? []) expect(await statusOf(url)).toBe(200);
      expect(body.result_urls).toHaveLength(order.end === 'completed' ? 1 : 0);
      await expectOneCharge(world, order, jobId);
      await expectWebhook(world, order, jobId);
    }),
  );
  expect(await world.stores.ledger.audit()).toEqual([]);
  expect(await world.mongo.db.collection('jobs').countDocuments({ status: 'processing' })).toBe(0);
  await nothingRuns(world);
}

async function statusOf(url: string): Promise<number> {
  const { status, body } = await fetch(url);
  await body?.cancel();
  return status;
}

/** No response, or the one failure that a client may retry. */
const FAILURES = [
  [0, undefined],
  [500, 'internal_error'],
];

/** Exactly one job and one charge, refunded if the job failed. Charges of voided jobs have been given back. */
async function expectOneCharge({ stores }: World, { accountId, end }: Order, jobId: string): Promise<void> {
  const rows = await stores.ledger.list(accountId);
  const kinds = rows.flatMap(({ kind, jobId: id }) => (id === jobId ? [kind] : []));
  expect(kinds).toEqual(end === 'failed' ? ['charge', 'refund'] : ['charge']);
  expect([...netAmounts(rows)]).toEqual(end === 'failed' ? [] : [[jobId, -1]]);
  expect((await stores.jobs.list(accountId, 10)).map(({ id }) => id)).toEqual([jobId]);
  expect((await stores.accounts.get(accountId)).balance).toBe(end === 'failed' ? 50 : 49);
}

/** Net ledger amount per job, without zeros. */
function netAmounts(rows: readonly LedgerRow[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { jobId, delta } of rows) if (jobId !== null) sums.set(jobId, (sums.get(jobId) ?? 0) + delta);
  return new Map([...sums].filter(([, sum]) => sum !== 0));
}

/**
 * The receiver got the webhook of this job at least once, always under the same id, and the delivery log shows it as
 * delivered. A voided job may have sent a webhook before it was voided.
 */
async function expectWebhook({ stores, receiver }: World, order: Order, jobId: string): Promise<void> {
  const { accountId, path, name, end } = order;
  const rows = await stores.ledger.list(accountId);
  const voided = new Set(rows.flatMap((row) => (row.kind === 'void' ? [row.jobId] : [])));
  await eventually(async () => {
    const deliveries = (await stores.deliveries.list(accountId, 10)).filter((row) => !voided.has(row.jobId));
    expect(deliveries, name).toMatchObject([{ jobId, state: 'delivered' }]);
    const events = receiver.receivedAt(path).map(({ headers, body }) => {
      const { job_id, type } = JSON.parse(body) as { job_id: string; type: string };
      return { id: headers['webhook-id'], job_id, type };
    });
    const sent = events.filter(({ job_id }) => !voided.has(job_id));
    const ids = sent.map(({ id, job_id, type }) => `${id} ${job_id} ${type}`);
    expect(new Set(ids), name).toEqual(new Set([`${deliveries[0]?.id} ${jobId} job.${end}`]));
    // Each open poll of a paused worker may have taken one task, which is retried after its heartbeat timeout.
  }, 180_000);
}

/** A call of a paused worker counts as lost after a minute, and its open polls may take the next attempts. */
async function ended({ stores }: World, jobId: string): Promise<void> {
  await eventually(async () => {
    const status = (await stores.jobs.get(jobId))?.status;
    if (status !== 'completed' && status !== 'failed') throw new Error(`Job ${jobId} is ${status}.`);
  }, 180_000);
}

/** Waits until no workflow is running; Temporal's visibility is eventually consistent. */
export async function nothingRuns({ temporal }: World, where = ''): Promise<void> {
  await eventually(async () => {
    const query = `${where}ExecutionStatus = "Running"`;
    const running: string[] = [];
    for await (const { workflowId } of temporal.workflow.list({ query })) {
      const { raw } = await temporal.workflow.getHandle(workflowId).describe();
      const pending = raw.pendingActivities?.map(
        ({ activityType, attempt, state, lastFailure }) =>
          `${activityType?.name} (attempt ${attempt}, state ${state}, ${lastFailure?.message ?? 'no failure'})`,
      );
      running.push(`${workflowId}: ${pending?.join(', ')}`);
    }
    if (running.length > 0) throw new Error(`Still running: ${running.join('; ')}`);
  }, 120_000);
}
