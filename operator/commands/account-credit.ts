import type { Command } from 'commander';
import { imagesArgument, nameArgument, REFERENCE } from '../arguments.ts';
import type { Context } from '../context.ts';
import { REPEATED_NOTE } from '../output.ts';

interface CreditOptions {
  images: number;
  reason: string;
  reference?: string | null;
}

const NOTE = 'A credit is not a pack: it does not remove the watermark.';

export function addCredit(noun: Command, { deps, show }: Context): void {
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
      show({ fields, note: repeated ? REPEATED_NOTE : NOTE });
    });
}
