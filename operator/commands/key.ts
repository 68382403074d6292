import type { Scope } from '../../lib/contract/scopes.ts';
import { digestApiKey, issueApiKey } from '../../lib/domain/api-key.ts';
import type { KeyRecord } from '../../lib/domain/records.ts';
import {
  daysArgument,
  daysOrNoneArgument,
  nameArgument,
  orNull,
  REFERENCE,
  scopesArgument,
  YES,
} from '../arguments.ts';
import type { Context, Noun } from '../context.ts';
import type { Fields } from '../output.ts';

/** Characters of the secret part shown in lists, to distinguish keys. */
const HINT_LENGTH = 4;

export const keyNoun: Noun = (program, context) => {
  const { deps, show, confirm } = context;
  const noun = program.command('key').description('API keys of an account');

  noun
    .command('create')
    .description('issue a key; the first of an account grants the free images')
    .requiredOption('--account <account>', 'account the key belongs to')
    .requiredOption('--name <name>', 'name of the client, as returned by GET /v1/account', nameArgument)
    .option('--retention-days <days>', 'delete jobs of this key after this many days', daysArgument)
    .option('--scopes <scopes>', SCOPES_HELP, scopesArgument)
    .option(...REFERENCE)
    .action((options: CreateOptions) => createKey(context, options));

  noun
    .command('list')
    .description('list the keys of an account, the oldest first')
    .requiredOption('--account <account>', 'account the keys belong to')
    .action(async ({ account }: { account: string }) => {
      const stores = deps.stores();
      await stores.accounts.get(account);
      const columns = [
        'key_id',
        'name',
        'key_begins',
        'scopes',
        'retention_days',
        'created_at',
        'revoked_at',
      ];
      const rows = (await stores.keys.list(account)).map(describe);
      show({ rows, columns, none: 'The account has no keys.' });
    });

  noun
    .command('revoke <key>')
    .description('revoke a key for good')
    .option(...YES)
    .action(async (keyId: string, { yes }: { yes?: true }) => {
      await confirm(`Revoke key ${keyId}? It never works again.`, yes);
      show({ fields: describe(await deps.stores().keys.revoke(keyId)) });
    });

  noun
    .command('retention <key>')
    .description('set after how many days jobs of a key are deleted')
    .requiredOption('--days <days>', '1 to 365, or none', daysOrNoneArgument)
    .option(...YES)
    .action(async (keyId: string, options: { days: number | 'none'; yes?: true }) => {
      const days = orNull(options.days);
      if (days !== null)
        await confirm(
          `Delete all jobs of key ${keyId} that are older than ${days} days, existing ones included?`,
          options.yes,
        );
      show({ fields: describe(await deps.stores().keys.setRetention(keyId, days)) });
    });

  noun
    .command('scopes <key>')
    .description('limit what a key can be used for, or lift the limit')
    .requiredOption('--scopes <scopes>', SCOPES_HELP, scopesArgument)
    .option(...YES)
    .action(async (keyId: string, { scopes, yes }: { scopes: Scopes; yes?: true }) => {
      if (scopes !== 'all')
        await confirm(
          `Limit key ${keyId} to ${scopes.join(', ')}? All other requests with it are refused.`,
          yes,
        );
      show({ fields: describe(await deps.stores().keys.setScopes(keyId, limitOf(scopes))) });
    });
};

type Scopes = readonly Scope[] | 'all';
const limitOf = (scopes: Scopes) => (scopes === 'all' ? null : scopes);

const SCOPES_HELP =
  'jobs (all of /v1/jobs), account (/v1/account and /v1/ledger), webhooks (/v1/webhook-*), several with commas, or all';

interface CreateOptions {
  account: string;
  name: string;
  retentionDays?: number | null;
  scopes?: Scopes;
  reference?: string | null;
}

const KEY_NOTE = 'Keep the key now: it is not shown again.';
const REPEATED_NOTE =
  'The reference was used before: this is the key created then, which is not shown again. ' +
  'If it was lost, revoke it and create another one.';

async function createKey({ deps, show }: Context, options: CreateOptions) {
  const { account, name, retentionDays = null, scopes = 'all', reference = null } = options;
  const prefix = deps.config().keyPrefix;
  const apiKey = issueApiKey(prefix);
  const { key, granted, repeated } = await deps.stores().keys.create({
    accountId: account,
    name,
    digest: digestApiKey(apiKey),
    hint: apiKey.slice(0, prefix.length + HINT_LENGTH),
    retentionDays,
    ...(scopes === 'all' ? {} : { scopes }),
    reference,
  });
  const fields = {
    key_id: key.id,
    api_key: repeated ? null : apiKey,
    granted,
    account_id: key.accountId,
    name: key.name,
    retention_days: key.retentionDays,
    scopes: key.scopes,
  };
  show({ fields, note: repeated ? REPEATED_NOTE : KEY_NOTE });
}

function describe(key: KeyRecord): Fields {
  return {
    key_id: key.id,
    account_id: key.accountId,
    name: key.name,
    key_begins: key.hint,
    scopes: key.scopes,
    retention_days: key.retentionDays,
    created_at: key.createdAt,
    revoked_at: key.revokedAt,
  };
}
