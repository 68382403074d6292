import type { ToolUsage } from '../../lib/stores/job-store.ts';
import { monthArgument } from '../arguments.ts';
import type { Noun } from '../context.ts';
import { CommandFailed } from '../errors.ts';

interface UsageOptions {
  account: string;
  month: ReturnType<typeof monthArgument>;
  csv?: true;
  json?: true;
}

const COLUMNS = [
  'tool',
  'jobs',
  'completed',
  'failed',
  'images_charged',
  'images_refunded',
  'images',
] as const;

export const usageNoun: Noun = (program, { deps, show }) => {
  const command = program
    .command('usage')
    .description('what the jobs an account created in a month (UTC) used, by tool; deleted jobs count')
    .requiredOption('--account <account>', 'account that created the jobs')
    .requiredOption('--month <month>', 'such as 2026-01', monthArgument)
    .option('--csv', 'print comma-separated values, a line for each tool')
    .action(async () => {
      const { account, month: period, csv, json } = command.optsWithGlobals<UsageOptions>();
      if (csv && json) throw new CommandFailed('Give --csv or --json, not both.');
      const stores = deps.stores();
      await stores.accounts.get(account);
      const tools = (await stores.jobs.usage(account, period.from, period.until)).map(describe);
      const { tool: _, ...total } = tools.reduce(add, EMPTY);
      const fields = { account_id: account, month: period.month, ...total, tools };
      show(csv ? { fields, text: toCsv(tools) } : { fields });
    });
};

type Row = Record<(typeof COLUMNS)[number], string | number> & { tool: string };

/** `images`: what remains charged. */
const describe = ({ tool, jobs, completed, failed, imagesCharged, imagesRefunded }: ToolUsage) => ({
  tool,
  jobs,
  completed,
  failed,
  images_charged: imagesCharged,
  images_refunded: imagesRefunded,
  images: imagesCharged - imagesRefunded,
});

const EMPTY = describe({
  tool: '',
  jobs: 0,
  completed: 0,
  failed: 0,
  imagesCharged: 0,
  imagesRefunded: 0,
});

const add = (sum: typeof EMPTY, row: typeof EMPTY): typeof EMPTY => ({
  tool: '',
  jobs: sum.jobs + row.jobs,
  completed: sum.completed + row.completed,
  failed: sum.failed + row.failed,
  images_charged: sum.images_charged + row.images_charged,
  images_refunded: sum.images_refunded + row.images_refunded,
  images: sum.images + row.images,
});

/** Slugs and numbers need no quotes. */
const toCsv = (rows: readonly Row[]) =>
  [COLUMNS.join(','), ...rows.map((row) => COLUMNS.map((name) => row[name]).join(','))].join('\n');
