import type { AccountRecord } from '../../domain/records.ts';
import { issueWebhookSecret } from '../../domain/webhook-signature.ts';
import { limitArgument, nameArgument, orNull, REFERENCE, urlArgument } from '../arguments.ts';
import type { Context, Noun } from '../context.ts';
import type { Deps } from '../deps.ts';
import { Failure } from '../failure.ts';
import type { Fields } from '../output.ts';

const OLD_SECRET_HOURS = 24;
const SECRET_NOTE = 'Keep the secret now: it signs the webhooks and is not shown again.';
const ROTATION_QUESTION =
  'Replace the webhook secret? ' +
  `The current one stays valid for ${OLD_SECRET_HOURS} hours; an older one becomes invalid now.`;

export const account: Noun = (program, context) => {
  const { deps, show } = context;
  const noun = program.command('account').description('clients: balance, status, webhook endpoint');

  noun
    .command('create')
    .description('create an account; its first key grants the free images')
    .requiredOption('--name <name>', 'name of the client', nameArgument)
    .option('--webhook-url <url>', 'public https URL notified of every finished job', urlArgument)
    .option(...REFERENCE)
    .action(async ({ name, webhookUrl, reference = null }: CreateOptions) => {
      if (webhookUrl !== undefined) await deps.egress().check(webhookUrl);
      const endpoint = { webhookUrl: webhookUrl ?? null, webhookSecret: issueWebhookSecret() };
      const created = await deps.stores().accounts.create({ name, ...endpoint, reference });
      const { secret } = created.webhook;
      show({ fields: { ...(await describe(deps, created)), webhook_secret: secret }, note: SECRET_NOTE });
    });

  noun
    .command('list')
    .description('list accounts, the newest first')
    .option('--limit <n>', 'how many at most', limitArgument, 50)
    .action(async ({ limit }: { limit: number }) => {
      const accounts = await deps.stores().accounts.list(limit);
      const rows = await Promise.all(accounts.map((record) => describe(deps, record)));
      const columns = ['account_id', 'name', 'status', 'balance', 'watermark', 'created_at'];
      show({ rows, columns, none: 'There are no accounts.' });
    });

  noun
    .command('show <account>')
    .description('show an account')
    .action(async (accountId: string) => show(await described(deps, accountId)));

  setStatus('disable', 'disabled', 'refuse every key of an account until it is enabled again');
  setStatus('enable', 'active', 'let the keys of a disabled account work again');
  function setStatus(verb: string, status: AccountRecord['status'], description: string) {
    noun
      .command(`${verb} <account>`)
      .description(description)
      .action(async (accountId: string) => {
        await deps.stores().accounts.setStatus(accountId, status);
        show(await described(deps, accountId));
      });
  }

  noun
    .command('webhook <account>')
    .description('set the webhook endpoint, which also re-enables a disabled one, or replace its secret')
    .option('--url <url>', 'public https URL, or none', urlArgument)
    .option('--rotate-secret', 'replace the secret; the current one also signs for 24 more hours')
    .option('--yes', 'do not ask')
    .action((accountId: string, options: WebhookOptions) => changeWebhook(context, accountId, options));
};

interface CreateOptions {
  name: string;
  webhookUrl?: string;
  reference?: string | null;
}

interface WebhookOptions {
  /** Or `none`. */
  url?: string;
  rotateSecret?: true;
  yes?: true;
}

async function changeWebhook({ deps, show, confirm }: Context, accountId: string, options: WebhookOptions) {
  const { rotateSecret, yes } = options;
  const url = options.url === undefined ? undefined : orNull(options.url);
  if (url === undefined && !rotateSecret) throw new Failure('Give --url, --rotate-secret or both.');
  const { accounts } = deps.stores();
  await accounts.get(accountId);
  if (typeof url === 'string') await deps.egress().check(url);
  if (rotateSecret) await confirm(ROTATION_QUESTION, yes);
  const secret = issueWebhookSecret();
  const previousUntil = new Date(Date.now() + OLD_SECRET_HOURS * 3600 * 1000);
  const changed = await accounts.setWebhook(accountId, {
    ...(url === undefined ? {} : { url }),
    ...(rotateSecret ? { rotateTo: { secret, previousUntil } } : {}),
  });
  const fields = await describe(deps, changed);
  if (!rotateSecret) return show({ fields });
  const rotation = { webhook_secret: secret, previous_secret_until: previousUntil };
  show({ fields: { ...fields, ...rotation }, note: SECRET_NOTE });
}

async function described(deps: Deps, accountId: string) {
  return { fields: await describe(deps, await deps.stores().accounts.get(accountId)) };
}

async function describe(deps: Deps, account: AccountRecord): Promise<Fields> {
  return {
    account_id: account.id,
    name: account.name,
    status: account.status,
    balance: account.balance,
    watermark: !(await deps.stores().packs.hasPaid(account.id)),
    webhook_url: account.webhook.url,
    webhook_disabled: account.webhook.disabledReason,
    created_at: account.createdAt,
  };
}
