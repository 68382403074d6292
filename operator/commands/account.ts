import type { Command } from 'commander';
import { newRotation, OLD_SECRET_HOURS } from '../../lib/domain/webhook-secrets.ts';
import { issueWebhookSecret } from '../../lib/domain/webhook-signature.ts';
import { imagesArgument, nameArgument, orNull, REFERENCE, urlArgument, YES } from '../arguments.ts';
import type { Context, Noun } from '../context.ts';
import type { Deps } from '../deps.ts';
import { describeAccount, describeAccounts } from '../describe.ts';
import { CommandFailed } from '../errors.ts';
import { REPEATED_NOTE } from '../output.ts';
import { type PageOptions, readPages, withPages } from '../pages.ts';
import { addClose } from './account-close.ts';

const SECRET_NOTE = 'Keep the secret now: it signs the webhooks and is not shown again.';
const REPEATED_ACCOUNT_NOTE =
  'The reference was used before: this is the account created then, as it is now. Nothing was changed.';
const ROTATION_QUESTION =
  'Replace the webhook secret? ' +
  `The current one stays valid for ${OLD_SECRET_HOURS} hours; older ones become invalid now.`;

export const accountNoun: Noun = (program, context) => {
  const { deps, show, confirm } = context;
  const noun = program.command('account').description('clients: balance, status, webhook endpoint');

  noun
    .command('create')
    .description('create an account; its first key grants the free images')
    .requiredOption('--name <name>', 'name of the client', nameArgument)
    .option('--webhook-url <url>', 'public https URL notified of every finished job', urlArgument)
    .option(...REFERENCE)
    .action(async ({ name, webhookUrl, reference = null }: CreateOptions) => {
      const called = webhookUrl === undefined ? null : await deps.egress().check(webhookUrl);
      const endpoint = { webhookUrl: called, webhookSecret: issueWebhookSecret() };
      const created = await deps.stores().accounts.create({ name, ...endpoint, reference });
      const { secret } = created.webhook;
      // A repeated command returns the secret of the first one.
      const note = secret === endpoint.webhookSecret ? SECRET_NOTE : REPEATED_ACCOUNT_NOTE;
      show({ fields: { ...(await describeAccount(deps, created)), webhook_secret: secret }, note });
    });

  withPages(noun.command('list'))
    .description('list accounts, the newest first')
    .action(async (options: PageOptions) => {
      const { accounts } = deps.stores();
      const { found, ...more } = await readPages(options, async (limit, after) =>
        describeAccounts(deps, await accounts.list(limit, after)),
      );
      const rows = found.map(({ fields }) => fields);
      const columns = ['account_id', 'name', 'status', 'balance', 'watermark', 'created_at'];
      show({ rows, columns, none: 'There are no accounts.', ...more });
    });

  noun
    .command('show <account>')
    .description('show an account')
    .action(async (accountId: string) => show(await described(deps, accountId)));

  noun
    .command('rename <account>')
    .description('change the name of an account, which the Temporal UI shows for its new jobs')
    .requiredOption('--name <name>', 'name of the client', nameArgument)
    .action(async (accountId: string, { name }: { name: string }) => {
      const renamed = await deps.stores().accounts.rename(accountId, name);
      show({ fields: await describeAccount(deps, renamed) });
    });

  noun
    .command('disable <account>')
    .description('refuse every key of an account until it is enabled again')
    .option(...YES)
    .action(async (accountId: string, { yes }: { yes?: true }) => {
      const { name } = await deps.stores().accounts.get(accountId);
      await confirm(`Disable account ${accountId} (${name})? All of its keys stop working.`, yes);
      await setStatus(accountId, 'disabled');
    });

  noun
    .command('enable <account>')
    .description('let the keys of a disabled account work again')
    .action((accountId: string) => setStatus(accountId, 'active'));

  async function setStatus(accountId: string, status: 'active' | 'disabled') {
    await deps.stores().accounts.setStatus(accountId, status);
    show(await described(deps, accountId));
  }

  addCredit(noun, context);
  addClose(noun, context);

  noun
    .command('webhook <account>')
    .description('set the webhook endpoint, which also re-enables a disabled one, or replace its secret')
    .option('--url <url>', 'public https URL, or none', urlArgument)
    .option('--rotate-secret', 'replace the secret; the current one also signs for 24 more hours')
    .option(...YES)
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
  const given = options.url === undefined ? undefined : orNull(options.url);
  if (given === undefined && !rotateSecret) throw new CommandFailed('Give --url, --rotate-secret or both.');
  const { accounts } = deps.stores();
  await accounts.get(accountId);
  const url = typeof given === 'string' ? await deps.egress().check(given) : given;
  if (rotateSecret) await confirm(ROTATION_QUESTION, yes);
  const rotation = newRotation();
  const changed = await accounts.setWebhook(accountId, {
    ...(url === undefined ? {} : { url }),
    ...(rotateSecret ? { rotateTo: rotation } : {}),
  });
  const fields = await describeAccount(deps, changed);
  if (!rotateSecret) return show({ fields });
  const secrets = { webhook_secret: rotation.secret, previous_secret_until: rotation.previousUntil };
  show({ fields: { ...fields, ...secrets }, note: SECRET_NOTE });
}

async function described(deps: Deps, accountId: string) {
  return { fields: await describeAccount(deps, await deps.stores().accounts.get(accountId)) };
}

interface CreditOptions {
  images: number;
  reason: string;
  reference?: string | null;
}

const CREDIT_NOTE = 'A credit is not a pack: it does not remove the watermark.';

function addCredit(noun: Command, { deps, show }: Context): void {
  noun
    .command('credit <account>')
    .description('give an account images that it did not buy, such as a goodwill credit')
    .requiredOption('--images <n>', 'images to give', imagesArgument)
    .requiredOption('--reason <text>', 'why, kept in the ledger', nameArgument)
    .option(...REFERENCE)
    .action(async (accountId: string, { images, reason, reference = null }: CreditOptions) => {
      const { id, balance, repeated } = await deps
        .stores()
        .ledger.credit({ accountId, images, reason, reference });
      const fields = { account_id: accountId, ledger_id: id, images, reason, balance };
      show({ fields, note: repeated ? REPEATED_NOTE : CREDIT_NOTE });
    });
}
