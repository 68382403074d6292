import type { Client } from '@temporalio/client';
import { reconcileAction } from '../lib/protocol/reconcile.ts';
import { retentionAction } from '../lib/protocol/retention.ts';

/** Deadline of the call to Temporal. */
const START_TIMEOUT_MS = 10_000;

export interface StartedRun {
  workflowId: string;
  runId: string;
}

type Action = ReturnType<typeof retentionAction> | ReturnType<typeof reconcileAction>;

/**
 * Starts the retention workflow now, or joins a run that was started by hand and confirmed
 * likewise.
 */
export const startRetention = (client: Client, prefix: string, confirmed = false): Promise<StartedRun> =>
  startRun(client, retentionAction(prefix, confirmed));

/** Starts the reconciler now, or joins a run that was started by hand and confirmed likewise. */
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
