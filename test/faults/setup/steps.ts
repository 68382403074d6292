import { expect } from 'vitest';
import type { Hold } from './failpoints.ts';
import type { Placed } from './invariants.ts';
import { type End, newOrder, type Order } from './order.ts';
import type { HttpResponse } from './upload.ts';
import type { World } from './world.ts';

type Step = {
  name: string;
  point: string;
  subject: keyof Pick<Order, 'accountId' | 'workflowId' | 'path'>;
  end?: End;
};

export const CHARGED: Step = {
  name: 'charged, not reported',
  point: 'acceptJob jobs.accept after',
  subject: 'workflowId',
};

/** The activity has started and has written nothing yet. */
const UNCHARGED: Step = {
  name: 'before the acceptance starts',
  point: 'acceptJob jobs.accept before',
  subject: 'workflowId',
};
const UNREQUESTED: Step = {
  name: 'before the acceptance is requested',
  point: 'gateway.accept before',
  subject: 'workflowId',
};
const UNCOMMITTED: Step = {
  name: 'before the charge commits',
  point: 'acceptJob commit before',
  subject: 'workflowId',
};

export const RENDERING: Step = {
  name: 'during the render',
  point: 'renderJob generator.render before',
  subject: 'workflowId',
};
export const STORED: Step = {
  name: 'result stored, not reported',
  point: 'renderJob images.putResult after',
  subject: 'workflowId',
};

/** The steps of a job, in order. */
const STEPS: readonly Step[] = [
  { name: 'before the image is stored', point: 'images.putInput before', subject: 'accountId' },
  UNREQUESTED,
  UNCOMMITTED,
  CHARGED,
  { name: 'accepted, no response sent', point: 'gateway.accept after', subject: 'workflowId' },
  { name: 'before the render', point: 'renderJob images.getInput before', subject: 'workflowId' },
  RENDERING,
  STORED,
  { name: 'before the completion', point: 'renderJob jobs.complete before', subject: 'workflowId' },
  { name: 'completed, not reported', point: 'renderJob jobs.complete after', subject: 'workflowId' },
  { name: 'before the refund commits', point: 'failJob commit before', subject: 'workflowId', end: 'failed' },
  { name: 'refunded, not reported', point: 'failJob jobs.fail after', subject: 'workflowId', end: 'failed' },
  { name: 'before the webhook', point: 'deliverWebhook deliveries.begin before', subject: 'workflowId' },
  { name: 'during the webhook', point: 'receiver response before', subject: 'path' },
  { name: 'webhook sent, not recorded', point: 'deliverWebhook egress.post after', subject: 'workflowId' },
  {
    name: 'webhook recorded, not reported',
    point: 'deliverWebhook deliveries.record after',
    subject: 'workflowId',
  },
];

/** A job that is paused at a step; `first` is the response to its request. */
export type Paused = { order: Order; hold: Hold; first: Promise<HttpResponse> };

/** Places an order and pauses it at the step. */
export async function pauseAt(world: World, step: Step, timeoutMs?: number): Promise<Paused> {
  const { name, point, subject, end } = step;
  const order = await newOrder(world, name, end);
  const hold = world.failpoints.hold(point, order[subject]);
  const first = order.post(timeoutMs);
  const refused = first.then(({ status, body }) => {
    if (status !== 201) throw new Error(`${name}: ${status} ${JSON.stringify(body)} before the fault`);
    return hold.reached;
  });
  await Promise.race([hold.reached, refused]);
  return { order, hold, first };
}

/** Pauses one job at each step. @param timeoutMs how long callers wait, which includes the pause */
export function pauseAtEveryStep(world: World, timeoutMs?: number): Promise<Paused[]> {
  return Promise.all(STEPS.map((step) => pauseAt(world, step, timeoutMs)));
}

/** Resumes all jobs. @returns the responses to their first requests */
export function resume(paused: readonly Paused[]) {
  for (const { hold } of paused) hold.release();
  return Promise.all(paused.map(async ({ order, first }) => ({ order, first: await first })));
}

/** A temporary fault; `timeoutMs` is how long callers wait for a response. */
export type TemporaryFault = { start: () => void; end: () => Promise<void> | void; timeoutMs?: number };

/**
 * Injects a fault while jobs are paused at every step of acceptance. They resume when the fault starts, except for one
 * whose acceptance starts only after its request was answered 500 and the fault has ended.
 * @returns the responses to their requests
 */
export async function acceptDuring(
  world: World,
  { start, end, timeoutMs }: TemporaryFault,
): Promise<Placed[]> {
  const pause = (step: Step) => pauseAt(world, step, timeoutMs);
  const [late, ...paused] = await Promise.all([UNCHARGED, UNREQUESTED, UNCOMMITTED, CHARGED].map(pause));
  if (late === undefined) throw new Error('No order was placed.');
  start();
  const [placed, first] = await Promise.all([resume(paused), late.first]);
  await end();
  late.hold.release();
  expect(first.status).toBe(500);
  return [...placed, { order: late.order, first }];
}
