import { randomUUID } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Command } from 'commander';
import type { DeliveryRecord } from '../../lib/domain/records.ts';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import { sinceArgument, YES } from '../arguments.ts';
import type { Context } from '../context.ts';
import { attempted, findDelivery, redeliver, showOutcome } from '../deliveries.ts';
import type { Deps } from '../deps.ts';
import { describeDelivery, failedAt } from '../describe.ts';
import { CommandFailed } from '../errors.ts';
import { readPages } from '../pages.ts';

const NONE_LEFT = 'Another command has delivered them again meanwhile, or is about to.';

/** Redeliveries that run at the same time, each until its first attempt has an outcome. */
const CONCURRENT = 20;

export function addRedeliver(noun: Command, context: Context): void {
  noun
    .command('redeliver [delivery]')
    .description(
      'deliver an event again, under the same id; waits for the first attempt and ends with 1 when it fails',
    )
    .option('--failed-since <time>', 'every delivery that failed at this time or later', sinceArgument)
    .option('--account <account>', 'with --failed-since: only those of this account')
    .option(...YES)
    .action((deliveryId: string | undefined, { failedSince, ...options }: RedeliverOptions) => {
      if (deliveryId !== undefined && failedSince === undefined) return redeliverOne(context, deliveryId);
      if (deliveryId === undefined && failedSince !== undefined)
        return redeliverFailed(context, failedSince, options);
      throw new CommandFailed('Give either a delivery or --failed-since.');
    });
}

interface RedeliverOptions {
  failedSince?: Date;
  account?: string;
  yes?: true;
}

async function redeliverOne({ deps, show }: Context, deliveryId: string): Promise<void> {
  const before = await findDelivery(deps, deliveryId);
  if (before.url === null)
    throw new CommandFailed('The job was deleted, and its delivery has no URL any more.');
  const after = await deliver(deps, before, { cycle: randomUUID() });
  showOutcome(show, describeDelivery(after ?? before), after);
}

async function redeliverFailed(context: Context, since: Date, { account, yes }: RedeliverOptions) {
  const { deps, show, confirm } = context;
  if (account !== undefined) await deps.stores().accounts.get(account);
  const failed = await failedDeliveries(deps, account ?? null, since);
  if (failed.length > 0) await confirm(`Deliver ${failed.length} events again?`, yes);
  const rows: DeliveryRecord[] = [];
  let delivered = 0;
  for (let start = 0; start < failed.length; start += CONCURRENT)
    await Promise.all(
      failed.slice(start, start + CONCURRENT).map(async ({ id }) => {
        const before = await deps.stores().deliveries.find(id);
        if (before === undefined || !isRepeatable(before, since)) return;
        const after = await deliverOnce(deps, before);
        if (after === 'elsewhere') return;
        if (after?.state === 'delivered') delivered += 1;
        rows.push(after ?? before);
      }),
    );
  const columns = ['delivery_id', 'account_id', 'job_id', 'state', 'last_status', 'reason'];
  const none = failed.length === 0 ? 'No delivery has failed since then.' : NONE_LEFT;
  show({ rows: rows.map(describeDelivery), columns, none });
  if (delivered < rows.length)
    throw new CommandFailed(
      `${delivered} of ${rows.length} events were delivered; see webhook list for the others.`,
    );
}

async function failedDeliveries(deps: Deps, account: string | null, since: Date): Promise<DeliveryRecord[]> {
  const { deliveries } = deps.stores();
  const { found } = await readPages({ limit: 0, all: true }, (limit, after) =>
    deliveries.list(account, limit, { state: 'failed', after }),
  );
  return found.filter((delivery) => isRepeatable(delivery, since));
}

/** Deliveries of deleted jobs have no URL. */
const isRepeatable = (delivery: DeliveryRecord, since: Date) =>
  delivery.state === 'failed' && delivery.url !== null && failedAt(delivery) >= since;

/**
 * @returns the delivery after the first attempt of a new cycle; undefined when its outcome is not
 * known yet
 */
async function deliver(
  deps: Deps,
  { id, accountId }: DeliveryRecord,
  cycles: { cycle: string; after?: string },
): Promise<DeliveryRecord | undefined> {
  const queues = taskQueues(deps.config().temporal.taskQueuePrefix);
  await redeliver(deps.temporal(), queues, { id, accountId }, cycles);
  return attempted(deps, id, cycles);
}

/**
 * As {@link deliver}, unless the delivery is in another cycle than when it was read. @returns
 * `elsewhere` if it is
 */
async function deliverOnce(
  deps: Deps,
  before: DeliveryRecord,
): Promise<DeliveryRecord | undefined | 'elsewhere'> {
  const cycle = randomUUID();
  try {
    const after = await deliver(deps, before, { cycle, after: before.cycle });
    return after === undefined || after.cycle === cycle ? after : 'elsewhere';
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'elsewhere';
    throw error;
  }
}
