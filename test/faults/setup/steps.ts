import { expect } from 'vitest';
import type { Hold } from './failpoints.ts';
import type { Placed } from './invariants.ts';
import { type Answer, type End, newOrder, type Order } from './order.ts';
import type { World } from './world.ts';

type Step = {
  name: string;
  point: string;
  of: keyof Pick<Order, 'accountId' | 'workflowId' | 'path'>;
  end?: End;
};

export const CHARGED: Step = {
  name: 'charged, unreported',
  point: 'acceptJob jobs.accept after',
  of: 'workflowId',
};

/** The worker has it, and nothing is written yet. */
const UNCHARGED: Step = {
  name: 'before the acceptance begins',
  point: 'acceptJob jobs.accept before',
  of: 'workflowId',
};
const UNASKED: Step = {
  name: 'before the acceptance is asked for',
  point: 'gateway.accept before',
  of: 'workflowId',
};
const UNCOMMITTED: Step = {
  name: 'before the charge commits',
  point: 'acceptJob commit before',
  of: 'workflowId',
};

export const RENDERING: Step = {
  name: 'during the render',
  point: 'renderJob generator.render before',
  of: 'workflowId',
};
export const STORED: Step = {
  name: 'result stored, unreported',
  point: 'renderJob images.putResult after',
  of: 'workflowId',
};

/** The steps of a job's life at which a fault may strike, in their order. */
export const STEPS: readonly Step[] = [
  { name: 'before the picture is stored', point: 'images.putInput before', of: 'accountId' },
  UNASKED,
  UNCOMMITTED,
  CHARGED,
  { name: 'accepted, unanswered', point: 'gateway.accept after', of: 'workflowId' },
  { name: 'before the render', point: 'renderJob images.getInput before', of: 'workflowId' },
  RENDERING,
  STORED,
  { name: 'before the completion', point: 'renderJob jobs.complete before', of: 'workflowId' },
  { name: 'completed, unreported', point: 'renderJob jobs.complete after', of: 'workflowId' },
  { name: 'before the refund commits', point: 'failJob commit before', of: 'workflowId', end: 'failed' },
  { name: 'refunded, unreported', point: 'failJob jobs.fail after', of: 'workflowId', end: 'failed' },
  { name: 'before the webhook', point: 'deliverWebhook deliveries.begin before', of: 'workflowId' },
  { name: 'during the webhook', point: 'receiver answer before', of: 'path' },
  { name: 'webhook sent, unrecorded', point: 'deliverWebhook egress.post after', of: 'workflowId' },
  { name: 'webhook recorded, unreported', point: 'deliverWebhook deliveries.record after', of: 'workflowId' },
];

/** A job that stands at a step, and what its request is answered once it was let go on. */
export type Standing = { order: Order; hold: Hold; first: Promise<Answer> };

/** Places an order and waits until it stands at the step. */
export async function standAt(world: World, step: Step, answerWithinMs?: number): Promise<Standing> {
  const { name, point, of, end } = step;
  const order = await newOrder(world, name, end);
  const hold = world.failpoints.hold(point, order[of]);
  const first = order.post(answerWithinMs);
  const refused = first.then((answer) => {
    if (answer.status !== 201)
      throw new Error(`${name}: answered ${answer.status} ${JSON.stringify(answer.body)} before the fault`);
    return hold.reached;
  });
  await Promise.race([hold.reached, refused]);
  return { order, hold, first };
}

/** One job at every step, all at the same time. */
export function standEverywhere(world: World): Promise<Standing[]> {
  return Promise.all(STEPS.map((step) => standAt(world, step)));
}

/** Lets all go on. @returns what their first requests were answered */
export function goOn(standing: readonly Standing[]) {
  for (const { hold } of standing) hold.release();
  return Promise.all(standing.map(async ({ order, first }) => ({ order, first: await first })));
}

/** A fault that strikes requests and ends again; how long their callers wait. */
export type Strike = { strike: () => void; mend: () => Promise<void> | void; answerWithinMs?: number };

/**
 * Strikes jobs at every step of their acceptance. They go on as the fault strikes, but for one, of which the acceptance
 * begins only after its request was answered 500.
 * @returns what their requests were answered until the fault ended
 */
export async function acceptThrough(
  world: World,
  { strike, mend, answerWithinMs }: Strike,
): Promise<Placed[]> {
  const stand = (step: Step) => standAt(world, step, answerWithinMs);
  const [late, ...standing] = await Promise.all([UNCHARGED, UNASKED, UNCOMMITTED, CHARGED].map(stand));
  if (late === undefined) throw new Error('No order was placed.');
  strike();
  const [placed, first] = await Promise.all([goOn(standing), late.first]);
  await mend();
  late.hold.release();
  expect(first.status).toBe(500);
  return [...placed, { order: late.order, first }];
}
