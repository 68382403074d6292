import type { Noun } from '../context.ts';
import { startSweep } from '../sweep.ts';

export const sweep: Noun = (program, { deps, show }) => {
  const noun = program
    .command('sweep')
    .description('the daily work of retention; its schedule runs at 04:20 UTC');

  noun
    .command('run')
    .description(
      'start the retention workflow now, or join the one that runs; its counts are in the Temporal UI',
    )
    .action(async () => {
      const { workflowId, runId } = await startSweep(deps.temporal(), deps.config().temporal.taskQueuePrefix);
      show({
        fields: { workflow_id: workflowId, run_id: runId },
        text: `The sweep runs as workflow ${workflowId}.`,
      });
    });
};
