import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryRecord } from '../../stores/records.ts';
import { taskQueues } from '../../workflows/messages.ts';
import { limitArgument } from '../arguments.ts';
import type { Noun } from '../context.ts';
import type { Deps } from '../deps.ts';
import { Failure } from '../failure.ts';
import type { Fields } from '../output.ts';
import { redeliver, sendTest } from '../webhooks.ts';

/** A little over what the receiver has for one answer. */
const OUTCOME_WITHIN_MS = 20_000;
const POLL_MS = 200;

export const webhook: Noun = (program, { deps, show }) => {
  const noun = program.command('webhook').description('deliveries of events: their log, once more, a test');

  noun
    .command('list')
    .description('list the deliveries of an account with their attempts, the newest first')
    .requiredOption('--account <account>', 'account the events are about')
    .option('--limit <n>', 'how many at most', limitArgument, 50)
    .action(async ({ account, limit }: { account: string; limit: number }) => {
      const stores = deps.stores();
      await stores.accounts.get(account);
      const rows = (await stores.deliveries.list(account, limit)).map(describe);
      const columns = [
        'delivery_id',
        'type',
        'state',
        'tries',
        'last_status',
        'next_attempt_at',
        'url',
        'reason',
      ];
      show({ rows, columns, none: 'The account has no deliveries.' });
    });

  noun
    .command('show <delivery>')
    .description('show a delivery and every attempt kept of it')
    .action(async (deliveryId: string) => show({ fields: describe(await found(deps, deliveryId)) }));

  noun
    .command('redeliver <delivery>')
    .description('deliver an event once more, under the same id; waits for the first attempt')
    .action(async (deliveryId: string) => {
      const before = await found(deps, deliveryId);
      if (before.url === null) throw new Failure('The job was deleted: there is nothing left to deliver.');
      await redeliver(deps.temporal(), queuesOf(deps), before);
      const after = await attempted(deps, deliveryId, before.round);
      show({ fields: describe(after ?? before), note: progress(after) });
    });

  noun
    .command('test')
    .description('send a test event to the endpoint of an account; waits for its answer')
    .requiredOption('--account <account>', 'account whose endpoint is tried')
    .action(async ({ account }: { account: string }) => {
      const { url } = (await deps.stores().accounts.get(account)).webhook;
      if (url === null) throw new Failure(`Account ${account} has no webhook endpoint.`);
      const deliveryId = await sendTest(deps.temporal(), queuesOf(deps), account);
      const after = await attempted(deps, deliveryId);
      show({
        fields: after ? describe(after) : { delivery_id: deliveryId, account_id: account, url },
        note: progress(after),
      });
    });
};

const queuesOf = (deps: Deps) => taskQueues(deps.config().temporal.taskQueuePrefix);

async function found(deps: Deps, deliveryId: string): Promise<DeliveryRecord> {
  const delivery = await deps.stores().deliveries.find(deliveryId);
  if (delivery === undefined) throw new Failure(`There is no delivery ${deliveryId}.`);
  return delivery;
}

/** The delivery once an attempt of a new round has an outcome; undefined when that takes too long. */
async function attempted(
  deps: Deps,
  deliveryId: string,
  oldRound?: string,
): Promise<DeliveryRecord | undefined> {
  const { deliveries } = deps.stores();
  const deadline = Date.now() + OUTCOME_WITHIN_MS;
  while (Date.now() < deadline) {
    const row = await deliveries.find(deliveryId);
    const underWay =
      row === undefined || row.round === oldRound || (row.state === 'pending' && row.nextAttemptAt === null);
    if (!underWay) return row;
    await delay(POLL_MS);
  }
  return undefined;
}

function progress(after: DeliveryRecord | undefined): string {
  if (after === undefined) return 'It is not known yet what came of it; see webhook list.';
  if (after.state === 'delivered') return 'The receiver took it.';
  return after.state === 'pending'
    ? 'The receiver did not take it; it is tried again.'
    : (after.reason ?? '');
}

function describe(delivery: DeliveryRecord): Fields {
  return {
    delivery_id: delivery.id,
    account_id: delivery.accountId,
    job_id: delivery.jobId,
    type: delivery.type,
    target: delivery.target,
    url: delivery.url,
    state: delivery.state,
    reason: delivery.reason,
    tries: delivery.tries,
    last_status: delivery.attempts.at(-1)?.status ?? null,
    next_attempt_at: delivery.nextAttemptAt,
    created_at: delivery.createdAt,
    attempts: delivery.attempts,
  };
}
