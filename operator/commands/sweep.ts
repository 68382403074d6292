import type { RetentionCounts } from '../../lib/protocol/retention.ts';
import type { Noun } from '../context.ts';
import type { Fields } from '../output.ts';
import { idsOf, showResult, startRetention } from '../runs.ts';

export const sweepNoun: Noun = (program, context) => {
  const { deps, show } = context;
  const noun = program
    .command('sweep')
    .description('the retention workflow, which a schedule starts daily at 04:20 UTC');

  noun
    .command('run')
    .description('start the retention workflow now, or join one started by hand')
    .option('--wait', 'wait until it has ended and print its counts; ends with 1 when it could not do all')
    .option(
      '--confirm',
      'agree that all images that now belong to no job are removed once they are old enough',
    )
    .action(async ({ wait, confirm }: { wait?: true; confirm?: true }) => {
      const run = await startRetention(deps.temporal(), deps.config().temporal.taskQueuePrefix, confirm);
      if (wait) return showResult(context, run, describe);
      show({ fields: idsOf(run), text: `The retention workflow is running as ${run.workflowId}.` });
    });
};

const describe = (counts: RetentionCounts): Fields => ({
  deleted: counts.deleted,
  histories_deleted: counts.historiesDeleted,
  inputs_dropped: counts.inputsDropped,
  orphans: counts.orphans,
  removed: counts.removed,
  unremoved: counts.unremoved,
  failed: counts.failed,
});
