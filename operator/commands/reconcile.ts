import type { ReconcileCounts } from '../../lib/protocol/reconcile.ts';
import type { Noun } from '../context.ts';
import type { Fields } from '../output.ts';
import { startReconcile } from '../start-run.ts';
import { showResult } from '../wait-for-run.ts';

export const reconcile: Noun = (program, context) => {
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
};

const describe = (counts: ReconcileCounts): Fields => ({
  checked: counts.checked,
  refunded: counts.refunded,
  webhooks_resumed: counts.webhooksResumed,
  calls_cancelled: counts.callsCancelled,
  calls_left: counts.callsLeft,
  deleted: counts.deleted,
  failed: counts.failed,
});
