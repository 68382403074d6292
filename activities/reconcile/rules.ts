import { PROCESSING_HOURS } from '../../lib/domain/audit-jobs.ts';
import type { ImageStore } from '../../lib/stores/image-store.ts';
import type { Stores } from '../../lib/stores/stores.ts';
import type { WorkflowProbe } from '../workflow-probe.ts';

export interface ReconcileRules {
  /** Younger jobs are left alone. Their workflow is running before they are stored. */
  lostJobMs: number;
  /** A workflow ends its job before this age: the render has 24 hours. */
  overdueJobMs: number;
  /** So many lost jobs are refunded, even if no other job is in progress. */
  plausiblyLost: number;
}

export const RECONCILE: ReconcileRules = Object.freeze({
  lostJobMs: 2 * 60_000,
  overdueJobMs: PROCESSING_HOURS * 3_600_000,
  plausiblyLost: 20,
});

export interface ReconcileDeps {
  stores: Stores;
  images: Pick<ImageStore, 'remove'>;
  workflows: WorkflowProbe;
  /** Tells the operator why a run refunds nothing. */
  onReconcileStopped(problem: string): void;
  /** Overrides of {@link RECONCILE}, for tests. */
  reconcile?: Partial<ReconcileRules>;
}
