import type { Client } from '@temporalio/client';
import { newDeliveryId } from '../lib/domain/delivery.ts';
import type { DeliveryRecord } from '../lib/domain/records.ts';
import { startWorkflow } from '../lib/process/temporal-client.ts';
import type { TaskQueues } from '../lib/protocol/task-queues.ts';
import { type Cycles, redeliveryStart, testEventStart } from '../lib/protocol/webhooks.ts';
import type { Context } from './context.ts';
import type { Deps } from './deps.ts';
import { CommandFailed } from './errors.ts';
import type { Fields } from './output.ts';
import { poll } from './poll.ts';

/** Deadline of the call to Temporal. */
const START_TIMEOUT_MS = 10_000;

/**
 * Starts {@link redeliveryStart}.
 * @returns the id of the workflow
 * @throws WorkflowExecutionAlreadyStartedError with `after`, if a redelivery is running
 */
export function redeliver(
  client: Client,
  queues: TaskQueues,
  delivery: Pick<DeliveryRecord, 'id' | 'accountId'>,
  cycles: Cycles = {},
): Promise<string> {
  return startWorkflow(client, redeliveryStart(delivery, queues, cycles), START_TIMEOUT_MS);
}

/** Starts {@link testEventStart}. @returns the delivery's id */
export async function sendTest(client: Client, queues: TaskQueues, accountId: string): Promise<string> {
  const id = newDeliveryId();
  await startWorkflow(client, testEventStart({ id, accountId }, queues), START_TIMEOUT_MS);
  return id;
}

/** A little longer than the timeout of one attempt. */
const OUTCOME_WITHIN_MS = 20_000;

/**
 * Waits until the first attempt of this cycle has an outcome, or until the delivery is in a cycle
 * that is neither this one nor `after`. @returns undefined when that takes too long
 * @param after the cycle that this one follows
 */
export function attempted(
  deps: Deps,
  deliveryId: string,
  { cycle, after }: { cycle: string; after?: string | undefined },
): Promise<DeliveryRecord | undefined> {
  const { deliveries } = deps.stores();
  return poll(OUTCOME_WITHIN_MS, async () => {
    const delivery = await deliveries.find(deliveryId);
    if (delivery === undefined) return undefined;
    const isOther = after !== undefined && delivery.cycle !== after;
    return (delivery.cycle === cycle ? wasAttempted(delivery) : isOther) ? delivery : undefined;
  });
}

const wasAttempted = ({ state, nextAttemptAt }: DeliveryRecord) =>
  state !== 'pending' || nextAttemptAt !== null;

/**
 * Shows a delivery after the first attempt of a cycle.
 * @throws CommandFailed unless the receiver took it
 */
export function showOutcome(show: Context['show'], fields: Fields, after: DeliveryRecord | undefined): void {
  const taken = after?.state === 'delivered';
  show(taken ? { fields, note: 'The receiver took it.' } : { fields });
  if (!taken) throw new CommandFailed(problemOf(after));
}

function problemOf(after: DeliveryRecord | undefined): string {
  if (after === undefined) return 'The outcome is not known yet; see webhook list.';
  const error = after.attempts.at(-1)?.error ?? '';
  return after.state === 'pending'
    ? `The receiver did not take it; it will be retried. ${error}`.trim()
    : (after.reason ?? `The delivery is ${after.state}.`);
}

/** @throws CommandFailed */
export async function findDelivery(deps: Deps, deliveryId: string): Promise<DeliveryRecord> {
  const delivery = await deps.stores().deliveries.find(deliveryId);
  if (delivery === undefined) throw new CommandFailed(`There is no delivery ${deliveryId}.`);
  return delivery;
}
