import { idempotencyConflict, jobOfKeyDeleted } from '../../lib/contract/api-errors.ts';
import type { DryRunResult } from '../../lib/contract/schemas.ts';
import { hasScope } from '../../lib/contract/scopes.ts';
import type { IdempotencyRow } from '../../lib/stores/job-store.ts';
import type { ApiDeps } from '../deps.ts';
import { isSameBody } from '../intake/job-body.ts';
import { checkJob, type PostedJob } from './checks.ts';

/**
 * POST /v1/jobs?dry_run=true: the answer and the charge that the same request would get now without
 * the parameter. Writes nothing. An image that it fetches is never charged, so its bytes count as
 * unpaid from the start.
 * @throws ApiError as the request without the parameter
 */
export async function dryRun(deps: ApiDeps, job: PostedJob): Promise<DryRunResult> {
  const checked = await checkJob(deps, job, (spent) => dryReplay(deps, job, spent));
  if ('replayed' in checked) return checked.replayed;
  const { plan, balance } = checked;
  return {
    valid: true,
    tool: plan.tool,
    images_charged: plan.imagesCharged,
    warnings: plan.warnings,
    balance_after: ifVisible(job, balance - plan.imagesCharged),
  };
}

/** The balance, if the key may see it. GET /v1/account has the same rule. */
const ifVisible = ({ caller }: PostedJob, balance: number) =>
  hasScope(caller.scopes, 'account') ? balance : null;

/**
 * A replay charges nothing. Unlike `replay`, does not record that the job was returned: the client
 * does not see it.
 */
async function dryReplay(
  { stores }: ApiDeps,
  request: PostedJob,
  spent: IdempotencyRow,
): Promise<DryRunResult | 'again'> {
  if (!isSameBody(spent.bodyDigest, request.bodyDigest)) throw idempotencyConflict();
  const job = await stores.jobs.get(spent.jobId);
  if (job === undefined) return 'again';
  if (job.status === 'deleted') throw jobOfKeyDeleted();
  const { balance } = await stores.accounts.get(request.caller.accountId);
  const { tool, warnings } = job;
  return { valid: true, tool, images_charged: 0, warnings, balance_after: ifVisible(request, balance) };
}
