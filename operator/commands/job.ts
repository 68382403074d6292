import { Option } from 'commander';
import { storedForms } from '../../lib/contract/lists.ts';
import type { JobRecord } from '../../lib/domain/records.ts';
import { sinceArgument, YES } from '../arguments.ts';
import type { Context, Noun } from '../context.ts';
import { describeCall, describeJob } from '../describe.ts';
import { CommandFailed } from '../errors.ts';
import { cancelOneJob, deleteOneJob, findJob } from '../jobs.ts';
import { type PageOptions, readPages, withPages } from '../pages.ts';

const STATUSES: readonly JobRecord['status'][] = ['processing', 'completed', 'failed', 'deleted'];

export const jobNoun: Noun = (program, context) => {
  const { deps, show, confirm } = context;
  const noun = program.command('job').description('jobs of every account, deleted ones included');

  noun
    .command('show <job>')
    .description('show everything stored about a job')
    .action(async (jobId: string) => {
      const found = await findJob(deps, jobId);
      const calls = (await deps.stores().generatorCalls.list(jobId)).map(describeCall);
      show({ fields: { ...describeJob(deps, found), generator_calls: calls } });
    });

  withPages(noun.command('list'))
    .description('list the jobs of an account, the newest first')
    .requiredOption('--account <account>', 'account the jobs belong to')
    .action(async (options: PageOptions & { account: string }) => {
      await deps.stores().accounts.get(options.account);
      await list(context, options, 'The account has no jobs.');
    });

  withPages(noun.command('find'))
    .description('find jobs of every account by what is known about them, the newest first')
    .option('--key <key>', 'Idempotency-Key of the request; alone or with --account')
    .addOption(new Option('--status <status>').choices(STATUSES))
    .option('--tool <slug>', 'tool that ran')
    .option('--since <time>', 'created at this time or later', sinceArgument)
    .option('--account <account>', 'account the jobs belong to')
    .action(async ({ key, ...options }: FindOptions) => {
      if (options.account !== undefined) await deps.stores().accounts.get(options.account);
      if (key === undefined) await list(context, options, 'There are no such jobs.');
      else await findByKey(context, key, options);
    });

  noun
    .command('cancel <job>')
    .description('cancel a job in progress, which fails it and refunds its charge; waits until it has failed')
    .option(...YES)
    .action(async (jobId: string, { yes }: { yes?: true }) => {
      const { tool, imagesCharged } = await findJob(deps, jobId);
      await confirm(
        `Cancel job ${jobId} (${tool})? It fails, and its ${imagesCharged} images are refunded.`,
        yes,
      );
      show({ fields: describeJob(deps, await cancelOneJob(deps, jobId)) });
    });

  noun
    .command('delete <job>')
    .description('delete an ended job with its images, as DELETE /v1/jobs/{id} does; it is not refunded')
    .option(...YES)
    .action(async (jobId: string, { yes }: { yes?: true }) => {
      const { tool } = await findJob(deps, jobId);
      await confirm(`Delete job ${jobId} (${tool}) with its images?`, yes);
      show({ fields: describeJob(deps, await deleteOneJob(deps, jobId)) });
    });
};

interface Filter {
  account?: string;
  status?: JobRecord['status'];
  tool?: string;
  since?: Date;
}

type FindOptions = PageOptions & Filter & { key?: string };

const COLUMNS = ['job_id', 'tool', 'status', 'images_charged', 'created_at', 'processing_ms', 'error'];

async function list({ deps, show }: Context, options: PageOptions & Filter, none: string): Promise<void> {
  const { account = null, status, tool, since } = options;
  const { jobs } = deps.stores();
  const { found, ...more } = await readPages(options, (limit, after) =>
    jobs.list(account, limit, { status, tool, since, after }),
  );
  const columns = account === null ? ['account_id', ...COLUMNS] : COLUMNS;
  show({ rows: found.map((job) => describeJob(deps, job)), columns, none, ...more });
}

/** A key has few jobs: one for each API key that used it. */
async function findByKey({ deps, show }: Context, key: string, { account, ...others }: Filter) {
  if (others.status ?? others.tool ?? others.since)
    throw new CommandFailed('Give --key alone or with --account: it names few jobs.');
  const { jobs } = deps.stores();
  const found = await Promise.all(
    storedForms(key).map((form) => jobs.listByIdempotencyKey(account ?? null, form)),
  );
  const rows = found.flat().map((job) => describeJob(deps, job));
  show({ rows, columns: ['account_id', ...COLUMNS], none: 'No job was created with this Idempotency-Key.' });
}
