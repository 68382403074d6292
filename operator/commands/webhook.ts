import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryRecord } from '../../domain/records.ts';
import { taskQueues } from '../../protocol/task-queues.ts';
import { limitArgument } from '../arguments.ts';
import type { Noun } from '../context.ts';
import type { Deps } from '../deps.ts';
import { Failure } from '../failure.ts';
import type { Fields } from '../output.ts';
import { redeliver, sendTest } from '../start-delivery.ts';

/** A little longer than the timeout of one attempt. */
const OUTCOME_WITHIN_MS = 20_000;
const POLL_MS = 200;

export const webhook: Noun = (program, { deps, show }) => {
  const noun = program.command('webhook').description('webhook deliveries: list, redeliver, test');

  noun
    .command('list')
    .description('list the deliveries of an account with their attempts, the newest first')
    .requiredOption('--account <account>', 'account the deliveries belong to')
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
    .description('show a delivery and its recorded attempts')
    .action(async (deliveryId: string) => show({ fields: describe(await found(deps, deliveryId)) }));

  noun
    .command('redeliver <delivery>')
    .description('deliver an event again, under the same id; waits for the first attempt')
    .action(async (deliveryId: string) => {
      const before = await found(deps, deliveryId);
      if (before.url === null)
        throw new Failure('The job was deleted, and its delivery has no URL any more.');
      await redeliver(deps.temporal(), queuesOf(deps), before);
      const after = await attempted(deps, deliveryId, before.cycle);
      show({ fields: describe(after ?? before), note: progress(after) });
    });

  noun
    .command('test')
    .description('send a test event to the endpoint of an account; waits for the response')
    .requiredOption('--account <account>', 'account whose endpoint is tested')
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

/** The delivery once the first attempt of a new cycle has an outcome; undefined when that takes too long. */
async function attempted(
  deps: Deps,
  deliveryId: string,
  oldCycle?: string,
): Promise<DeliveryRecord | undefined> {
  const { deliveries } = deps.stores();
  const deadline = Date.now() + OUTCOME_WITHIN_MS;
  while (Date.now() < deadline) {
    const delivery = await deliveries.find(deliveryId);
    if (delivery !== undefined && delivery.cycle !== oldCycle && wasAttempted(delivery)) return delivery;
    await delay(POLL_MS);
  }
  return undefined;
}

const wasAttempted = ({ state, nextAttemptAt }: DeliveryRecord) =>
  state !== 'pending' || nextAttemptAt !== null;

function progress(after: DeliveryRecord | undefined): string {
  if (after === undefined) return 'The outcome is not known yet; see webhook list.';
  if (after.state === 'delivered') return 'The receiver took it.';
  return after.state === 'pending'
    ? 'The receiver did not take it; it will be retried.'
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
    // Scripts read the response body as `answer`.
    attempts: delivery.attempts.map(({ responseBody, ...attempt }) => ({ ...attempt, answer: responseBody })),
  };
}
