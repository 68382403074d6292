import type { ReconcileCounts } from '../../lib/protocol/reconcile.ts';
import { startReconcile } from '../../operator/runs.ts';
import type { Service } from './service.ts';

/** Runs the reconciler to its end. */
export async function reconciled(
  { temporal, config }: Pick<Service, 'temporal' | 'config'>,
  confirmed = false,
): Promise<ReconcileCounts> {
  const { workflowId, runId } = await startReconcile(temporal, config.temporal.taskQueuePrefix, confirmed);
  return temporal.workflow.getHandle(workflowId, runId).result();
}
