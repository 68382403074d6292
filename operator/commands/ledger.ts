import type { LedgerRow } from '../../lib/domain/records.ts';
import type { Noun } from '../context.ts';
import { CommandFailed } from '../errors.ts';
import type { Fields } from '../output.ts';

export const ledgerNoun: Noun = (program, { deps, show }) => {
  const noun = program.command('ledger').description('every change of a balance');

  noun
    .command('list')
    .description('list the ledger of an account, the oldest row first')
    .requiredOption('--account <account>', 'account whose balance it explains')
    .action(async ({ account }: { account: string }) => {
      const stores = deps.stores();
      await stores.accounts.get(account);
      const rows = (await stores.ledger.list(account)).map(describe);
      const columns = ['seq', 'at', 'delta', 'balance_after', 'id'];
      show({ rows, columns, none: 'The account has no ledger rows.' });
    });

  noun
    .command('audit')
    .description('check the books of one account or of all; ends with 1 when they are not right')
    .option('--account <account>', 'account to check; all when left out')
    .action(async ({ account }: { account?: string }) => {
      const stores = deps.stores();
      if (account !== undefined) await stores.accounts.get(account);
      const breaches = await stores.ledger.audit(account);
      if (account === undefined)
        await stores.ledger.recordAudit({ at: new Date(), breaches: breaches.length });
      const ok = breaches.length === 0;
      show({ fields: { ok, breaches }, text: ok ? 'The books are right.' : breaches.join('\n') });
      if (!ok) throw new CommandFailed(`The books are not right: ${count(breaches.length)}.`);
    });
};

const count = (breaches: number) => `${breaches} ${breaches === 1 ? 'breach' : 'breaches'}`;

function describe(row: LedgerRow): Fields {
  return {
    id: row.id,
    seq: row.seq,
    at: row.at,
    kind: row.kind,
    delta: row.delta,
    balance_after: row.balanceAfter,
    job_id: row.jobId,
    pack_id: row.packId,
    ...(row.reason === undefined ? {} : { reason: row.reason }),
  };
}
