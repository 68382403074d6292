import { FIRST_CYCLE } from '../../lib/domain/delivery.ts';
import { taskQueues } from '../../lib/protocol/task-queues.ts';
import type { Context, Noun } from '../context.ts';
import { attempted, findDelivery, sendTest, showOutcome } from '../deliveries.ts';
import { describeDelivery, failedAt } from '../describe.ts';
import { CommandFailed } from '../errors.ts';
import { type PageOptions, readPages, withPages } from '../pages.ts';
import { addRedeliver } from './webhook-redeliver.ts';

export const webhookNoun: Noun = (program, context) => {
  const { deps, show } = context;
  const noun = program.command('webhook').description('webhook deliveries: list, redeliver, test');

  withPages(noun.command('list'))
    .description('list deliveries with their attempts, the newest first: of an account, or all that failed')
    .option('--account <account>', 'account the deliveries belong to')
    .option('--failed', 'only those that failed, of every account when --account is left out')
    .action((options: ListOptions) => list(context, options));

  noun
    .command('show <delivery>')
    .description('show a delivery and its recorded attempts')
    .action(async (deliveryId: string) =>
      show({ fields: describeDelivery(await findDelivery(deps, deliveryId)) }),
    );

  addRedeliver(noun, context);

  noun
    .command('test')
    .description('send a test event to the endpoint of an account; ends with 1 when the receiver fails')
    .requiredOption('--account <account>', 'account whose endpoint is tested')
    .action(async ({ account }: { account: string }) => test(context, account));
};

interface ListOptions extends PageOptions {
  account?: string;
  failed?: true;
}

const COLUMNS = [
  'delivery_id',
  'type',
  'state',
  'tries',
  'last_status',
  'next_attempt_at',
  'url',
  'reason',
] as const;
const FAILED_COLUMNS = ['failed_at', 'account_id', 'job_id', 'delivery_id', 'tries', 'last_status', 'reason'];

async function list({ deps, show }: Context, { account, failed, ...options }: ListOptions): Promise<void> {
  if (account === undefined && !failed) throw new CommandFailed('Give --account, --failed or both.');
  const { accounts, deliveries } = deps.stores();
  if (account !== undefined) await accounts.get(account);
  const { found, ...more } = await readPages(options, (limit, after) =>
    deliveries.list(account ?? null, limit, { state: failed ? 'failed' : undefined, after }),
  );
  if (failed) {
    const rows = found.map((delivery) => ({ ...describeDelivery(delivery), failed_at: failedAt(delivery) }));
    show({ rows, columns: FAILED_COLUMNS, none: 'No delivery has failed.', ...more });
  } else {
    const rows = found.map(describeDelivery);
    show({ rows, columns: COLUMNS, none: 'The account has no deliveries.', ...more });
  }
}

async function test({ deps, show }: Context, accountId: string): Promise<void> {
  const { url } = (await deps.stores().accounts.get(accountId)).webhook;
  if (url === null)
    throw new CommandFailed(
      `Account ${accountId} has no webhook endpoint. Set one: account webhook ${accountId} --url URL`,
    );
  const queues = taskQueues(deps.config().temporal.taskQueuePrefix);
  const deliveryId = await sendTest(deps.temporal(), queues, accountId);
  const after = await attempted(deps, deliveryId, { cycle: FIRST_CYCLE });
  const fields = after ? describeDelivery(after) : { delivery_id: deliveryId, account_id: accountId, url };
  showOutcome(show, fields, after);
}
