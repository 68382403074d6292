import type { PackRecord } from '../../lib/domain/records.ts';
import { imagesArgument, REFERENCE, YES } from '../arguments.ts';
import type { Noun } from '../context.ts';
import { type Fields, REPEATED_NOTE } from '../output.ts';

export const packNoun: Noun = (program, { deps, show, confirm }) => {
  const noun = program.command('pack').description('bought images of an account');

  noun
    .command('add')
    .description('add a paid pack; new results of the account have no watermark from then on')
    .requiredOption('--account <account>', 'account that paid')
    .requiredOption('--images <n>', 'images in the pack', imagesArgument)
    .option(...REFERENCE)
    .action(async ({ account, images, reference = null }: AddOptions) => {
      const purchase = { accountId: account, images, reference };
      const { pack, balance, repeated } = await deps.stores().packs.add(purchase);
      show({ fields: { ...describe(pack), balance }, ...noteOf(repeated) });
    });

  noun
    .command('list')
    .description('list the packs of an account, the oldest first')
    .requiredOption('--account <account>', 'account that holds the packs')
    .action(async ({ account }: { account: string }) => {
      const stores = deps.stores();
      await stores.accounts.get(account);
      const columns = ['pack_id', 'images', 'refunded', 'reference', 'created_at'];
      const rows = (await stores.packs.list(account)).map(describe);
      show({ rows, columns, none: 'The account has no packs.' });
    });

  noun
    .command('refund <pack>')
    .description('take images of a pack back from the balance; by default all that is left of it')
    .option('--images <n>', 'images to take back', imagesArgument)
    .option(...REFERENCE)
    .option(...YES)
    .action(async (packId: string, { images, reference = null, yes }: RefundOptions) => {
      const { packs } = deps.stores();
      const current = await packs.get(packId);
      // If nothing is left to refund, the command is a repetition or is refused. There is nothing
      // to confirm.
      if (current.refunded < current.images) await confirm(questionOf(current, images), yes);
      const { pack, refunded, balance, repeated } = await packs.refund(packId, images, reference);
      const left = pack.images - pack.refunded;
      show({ fields: { ...describe(pack), refunded, left, balance }, ...noteOf(repeated) });
    });
};

function questionOf(pack: PackRecord, images = pack.images - pack.refunded): string {
  const reference = pack.reference === null ? '' : ` (${pack.reference})`;
  const from = `${pack.images} images of pack ${pack.id}${reference} from account ${pack.accountId}`;
  return `Take back ${images} of the ${from}?`;
}

const noteOf = (repeated: true | undefined) => (repeated ? { note: REPEATED_NOTE } : {});

interface AddOptions {
  account: string;
  images: number;
  reference?: string | null;
}

interface RefundOptions {
  images?: number;
  reference?: string | null;
  yes?: true;
}

function describe(pack: PackRecord): Fields {
  return {
    pack_id: pack.id,
    account_id: pack.accountId,
    images: pack.images,
    refunded: pack.refunded,
    reference: pack.reference,
    created_at: pack.createdAt,
  };
}
