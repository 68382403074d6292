import type { ReconcileCounts } from '../../lib/protocol/reconcile.ts';
import { type CompareOptions, compareAfterRestore } from '../after-restore/compare.ts';
import { sinceArgument } from '../arguments.ts';
import type { Noun } from '../context.ts';
import type { Fields } from '../output.ts';
import { showResult, startReconcile } from '../runs.ts';

/**
 * Two commands have this noun. `reconcile run` starts the reconciler, a workflow that repairs what
 * a lost workflow left undone. `reconcile --since` compares MongoDB with Temporal and S3 after a
 * restore; it runs here and starts no workflow.
 */
export const reconcileNoun: Noun = (program, context) => {
  const { deps } = context;
  const noun = program
    .command('reconcile')
    .description('the reconciler, which refunds lost jobs and finishes what was interrupted');

  noun
    .command('run')
    .description('run the reconciler now and print its counts; ends with 1 when it could not do all')
    .option('--confirm', 'refund all lost jobs, although they are implausibly many')
    .action(async ({ confirm }: { confirm?: true }) => {
      const { taskQueuePrefix } = deps.config().temporal;
      await showResult(context, await startReconcile(deps.temporal(), taskQueuePrefix, confirm), describe);
    });

  noun
    .option(
      '--since <time>',
      'after a restore of MongoDB: find what it lacks since its backup',
      sinceArgument,
    )
    .option('--references <file>', 'CSV of paid packs: account (id or reference), images, reference')
    .option('--except <jobs>', 'ids of jobs to leave as they are, with commas between them', idsArgument)
    .option('--apply', 'repair what can be repaired; ends with 1 when something is left to do')
    .action((options: CompareOptions) => compareAfterRestore(context, options));
};

const idsArgument = (text: string): ReadonlySet<string> => new Set(text.split(',').map((id) => id.trim()));

const describe = (counts: ReconcileCounts): Fields => ({
  checked: counts.checked,
  refunded: counts.refunded,
  webhooks_resumed: counts.webhooksResumed,
  calls_cancelled: counts.callsCancelled,
  calls_left: counts.callsLeft,
  deleted: counts.deleted,
  failed: counts.failed,
});
