import { type Client, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { reconcileAction } from '../lib/protocol/reconcile.ts';
import { retentionAction } from '../lib/protocol/retention.ts';
import type { Context } from './context.ts';
import { CommandFailed } from './errors.ts';
import type { Fields } from './output.ts';

/** Deadline of the call to Temporal. */
const START_TIMEOUT_MS = 10_000;

export interface StartedRun {
  workflowId: string;
  runId: string;
}

type Action = ReturnType<typeof retentionAction> | ReturnType<typeof reconcileAction>;

/**
 * Starts the retention workflow now, or joins a run that was started by hand with the same
 * `confirmed`.
 */
export const startRetention = (client: Client, prefix: string, confirmed = false): Promise<StartedRun> =>
  startRun(client, retentionAction(prefix, confirmed));

/** Starts the reconciler now, or joins a run that was started by hand with the same `confirmed`. */
export const startReconcile = (client: Client, prefix: string, confirmed = false): Promise<StartedRun> =>
  startRun(client, reconcileAction(prefix, confirmed));

async function startRun(client: Client, { workflowType, args, ...options }: Action): Promise<StartedRun> {
  const handle = await client.withDeadline(Date.now() + START_TIMEOUT_MS, () =>
    client.workflow.start(workflowType, {
      ...options,
      args: [...args],
      workflowIdConflictPolicy: 'USE_EXISTING',
    }),
  );
  return { workflowId: handle.workflowId, runId: handle.firstExecutionRunId };
}

/** The ids of a run, by their JSON names. */
export const idsOf = ({ workflowId, runId }: StartedRun) => ({ workflow_id: workflowId, run_id: runId });

/**
 * Waits until a run has ended, and prints its counts.
 * @throws CommandFailed when it could not do all
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
    throw new CommandFailed(failure.message);
  }
}
