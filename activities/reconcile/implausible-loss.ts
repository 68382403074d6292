import { LOST } from './lost-jobs.ts';
import type { ReconcileDeps, ReconcileRules } from './rules.ts';

const DAY_MS = 24 * 3_600_000;
/** Ended jobs that are looked up in Temporal, to see whether this is the namespace of the jobs. */
const SAMPLE = 20;

export interface CheckedJobs {
  checked: number;
  lost: number;
  /** Checked jobs whose workflow Temporal knows. */
  known: number;
  /** Lost jobs that their workflow has completed. */
  completed: number;
}

/**
 * Compares the lost jobs with what a wrong or empty Temporal namespace, or a restored database,
 * would show. A job that is refunded by mistake cannot be charged again, and its result is removed.
 * @returns why no job is refunded before an operator has looked; null if the loss is plausible
 */
export async function implausibleLoss(
  deps: ReconcileDeps,
  { plausiblyLost }: ReconcileRules,
  { checked, lost, known, completed }: CheckedJobs,
): Promise<string | null> {
  if (completed > 0) return stopped(deps, restored(completed));
  const isLargeShare = lost > plausiblyLost && 2 * lost > checked;
  if (!isLargeShare && (known > 0 || !(await isForeignNamespace(deps)))) return null;
  const found = isLargeShare
    ? `${lost} of the ${checked} jobs in progress that were checked are lost.`
    : `Temporal knows the workflow of none of the ${checked} jobs in progress that were checked, nor of the jobs that ended last.`;
  const problem = `${found} None was refunded. Check TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and MONGODB_URL. If the jobs are lost indeed, run \`operator reconcile run --confirm\`.`;
  return stopped(deps, problem);
}

function stopped(deps: ReconcileDeps, problem: string): string {
  deps.onReconcileStopped(problem);
  return problem;
}

/**
 * A workflow completes its job before it ends. So only an older database can have the job in
 * progress.
 */
const restored = (completed: number) =>
  `${completed} jobs in progress were completed by their workflows: MongoDB is older than Temporal. None was refunded. ` +
  'Run `operator reconcile --since` with the time of the backup and `--apply`. If jobs are left whose results are lost ' +
  'indeed, run `operator reconcile run --confirm`.';

/**
 * Whether Temporal has forgotten the jobs that ended in the last day. The namespace of the service
 * keeps them for 3 days.
 */
async function isForeignNamespace({ stores, workflows }: ReconcileDeps): Promise<boolean> {
  const since = new Date(Date.now() - DAY_MS);
  const status = ['completed', 'failed'] as const;
  const ended = await stores.jobs.list(null, SAMPLE, { status, since, brief: true });
  const hadWorkflow = ended.filter(({ error }) => error !== LOST);
  const states = await Promise.all(hadWorkflow.map(({ workflowId }) => workflows.stateOf(workflowId)));
  return states.length > 0 && states.every((state) => state === 'unknown');
}
