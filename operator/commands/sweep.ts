import type { Noun } from '../context.ts';
import { startRetention } from '../start-retention.ts';

export const sweep: Noun = (program, { deps, show }) => {
  const noun = program
    .command('sweep')
    .description('the retention workflow, which a schedule starts daily at 04:20 UTC');

  noun
    .command('run')
    .description(
      'start the retention workflow now, or join one started by hand; the Temporal UI shows its counts',
    )
    .action(async () => {
      const { workflowId, runId } = await startRetention(
        deps.temporal(),
        deps.config().temporal.taskQueuePrefix,
      );
      show({
        fields: { workflow_id: workflowId, run_id: runId },
        text: `The retention workflow is running as ${workflowId}.`,
      });
    });
};
