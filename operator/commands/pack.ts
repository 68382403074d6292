import type { PackRecord } from '../../stores/records.ts';
import { imagesArgument, nameArgument } from '../arguments.ts';
import type { Noun } from '../context.ts';
import type { Fields } from '../output.ts';

export const pack: Noun = (program, { deps, show, confirm }) => {
  const noun = program.command('pack').description('bought images of an account');

  noun
    .command('add')
    .description('add a paid pack; new renders of the account carry no watermark from then on')
    .requiredOption('--account <account>', 'account that paid')
    .requiredOption('--images <n>', 'images in the pack', imagesArgument)
    .option('--reference <text>', 'invoice or payment it belongs to', nameArgument)
    .option('--yes', 'do not ask')
    .action(async ({ account, images, reference, yes }: AddOptions) => {
      const { packs } = deps.stores();
      const twin = (await packs.list(account)).find((known) => known.reference === reference);
      if (reference !== undefined && twin !== undefined)
        await confirm(`Pack ${twin.id} of ${twin.images} images has this reference. Add another one?`, yes);
      const { pack, balance } = await packs.add({ accountId: account, images, reference: reference ?? null });
      show({ fields: { ...describe(pack), balance } });
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
    .description('take images of a pack back off the balance, all that is left of the pack unless told')
    .option('--images <n>', 'images to take back', imagesArgument)
    .option('--yes', 'do not ask')
    .action(async (packId: string, { images, yes }: RefundOptions) => {
      const { packs } = deps.stores();
      const { accountId, images: bought, refunded: before, reference } = await packs.get(packId);
      const told = reference === null ? '' : ` (${reference})`;
      await confirm(
        `Take back ${images ?? bought - before} of the ${bought} images of pack ${packId}${told} from account ${accountId}?`,
        yes,
      );
      const { pack, refunded, balance } = await packs.refund(packId, images);
      const left = pack.images - pack.refunded;
      show({ fields: { ...describe(pack), refunded, left, balance } });
    });
};

interface AddOptions {
  account: string;
  images: number;
  reference?: string;
  yes?: true;
}

interface RefundOptions {
  images?: number;
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
