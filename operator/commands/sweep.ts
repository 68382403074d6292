import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { RetentionCounts } from '../../protocol/retention.ts';
import type { Context, Noun } from '../context.ts';
import { Failure } from '../failure.ts';
import type { Fields } from '../output.ts';
import { startRetention } from '../start-retention.ts';

export const sweep: Noun = (program, context) => {
  const { deps, show } = context;
  const noun = program
    .command('sweep')
    .description('the retention workflow, which a schedule starts daily at 04:20 UTC');

  noun
    .command('run')
    .description('start the retention workflow now, or join one started by hand')
    .option('--wait', 'wait until it has ended and print its counts; ends with 1 when it could not do all')
    .action(async ({ wait }: { wait?: true }) => {
      const { taskQueuePrefix } = deps.config().temporal;
      const { workflowId, runId } = await startRetention(deps.temporal(), taskQueuePrefix);
      const fields = { workflow_id: workflowId, run_id: runId };
      if (wait) return showResult(context, fields);
      show({ fields, text: `The retention workflow is running as ${workflowId}.` });
    });
};

async function showResult(
  { deps, show }: Context,
  fields: { workflow_id: string; run_id: string },
): Promise<void> {
  const handle = deps.temporal().workflow.getHandle(fields.workflow_id, fields.run_id);
  try {
    show({ fields: { ...fields, ...describe(await handle.result()) } });
  } catch (error) {
    const failure = error instanceof WorkflowFailedError ? error.cause : undefined;
    if (!(failure instanceof ApplicationFailure)) throw error;
    const [counts] = (failure.details ?? []) as RetentionCounts[];
    show({ fields: { ...fields, ...(counts === undefined ? {} : describe(counts)) } });
    throw new Failure(failure.message);
  }
}

const describe = (counts: RetentionCounts): Fields => ({
  refunded: counts.refunded,
  webhooks_resumed: counts.webhooksResumed,
  deleted: counts.deleted,
  histories_deleted: counts.historiesDeleted,
  inputs_dropped: counts.inputsDropped,
  orphans: counts.orphans,
  removed: counts.removed,
  unremoved: counts.unremoved,
  failed: counts.failed,
});
