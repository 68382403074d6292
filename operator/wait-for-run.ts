import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import type { Fields } from './output.ts';
import type { StartedRun } from './start-run.ts';

/** The ids of a run, by their JSON names. */
export const idsOf = ({ workflowId, runId }: StartedRun) => ({ workflow_id: workflowId, run_id: runId });

/**
 * Waits until a run has ended, and prints its counts.
 * @throws Failure when it could not do all
 */
export async function showResult<Counts>(
  { deps, show }: Context,
  run: StartedRun,
  describe: (counts: Counts) => Fields,
): Promise<void> {
  const handle = deps.temporal().workflow.getHandle(run.workflowId, run.runId);
  try {
    show({ fields: { ...idsOf(run), ...describe(await handle.result()) } });
  } catch (error) {
    const failure = error instanceof WorkflowFailedError ? error.cause : undefined;
    if (!(failure instanceof ApplicationFailure)) throw error;
    const [counts] = (failure.details ?? []) as Counts[];
    show({ fields: { ...idsOf(run), ...(counts === undefined ? {} : describe(counts)) } });
    throw new Failure(failure.message);
  }
}
