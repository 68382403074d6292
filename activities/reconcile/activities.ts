import { deleteJobsOfClosedAccounts } from './closed-accounts.ts';
import { type CheckedJobs, implausibleLoss } from './implausible-loss.ts';
import { type AbandonedJob, findLostJobs, refundLostJobs } from './lost-jobs.ts';
import { resumeLostWebhooks } from './lost-webhooks.ts';
import { findOpenCalls } from './open-calls.ts';
import { RECONCILE, type ReconcileDeps } from './rules.ts';

/**
 * Activities of the reconciler's workflow. With `after`, they run one batch from this cursor, first
 * ''. Idempotent.
 */
export function createReconcileActivities(deps: ReconcileDeps) {
  const rules = { ...RECONCILE, ...deps.reconcile };
  return {
    findLostJobs: (after: string) => findLostJobs(deps, rules, after),
    implausibleLoss: (jobs: CheckedJobs) => implausibleLoss(deps, rules, jobs),
    refundLostJobs: (jobs: readonly AbandonedJob[]) => refundLostJobs(deps, jobs),
    resumeLostWebhooks: (after: string) => resumeLostWebhooks(deps, rules, after),
    findOpenCalls: (after: string) => findOpenCalls(deps, after),
    deleteJobsOfClosedAccounts: (after: string) => deleteJobsOfClosedAccounts(deps, after),
  };
}
