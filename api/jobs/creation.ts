import { createHash, randomUUID } from 'node:crypto';
import { ApiError } from '../../lib/contract/errors.ts';
import type { JobCreated, JobReplayed } from '../../lib/contract/schemas.ts';
import type { JobDraft, ObjectRef } from '../../lib/domain/records.ts';
import { removeImagesSoon } from '../../lib/domain/remove-images.ts';
import { jobWorkflowId, keyWorkflowId } from '../../lib/protocol/workflow-ids.ts';
import type { ApiDeps } from '../deps.ts';
import { replay, requestAcceptance } from './accept.ts';
import { type CheckedJob, checkJob, type PostedJob } from './checks.ts';

/**
 * Acceptance must start within this time, which includes fetching and storing the image. Slow
 * checks do not stop at it, but the acceptance is then not attempted.
 */
const ACCEPTED_WITHIN_MS = 14_000;

/**
 * POST /v1/jobs after the body is read: runs the checks in order, stores the image and has the job
 * accepted.
 * @throws ApiError. After a 4xx nothing is charged, unless the job was accepted and then deleted. The
 * image is removed, at the latest by the retention run. After a 5xx the caller runs the
 * compensations.
 */
export async function createOrReplayJob(deps: ApiDeps, posted: PostedJob): Promise<JobCreated | JobReplayed> {
  const { bodyDigest, permits, compensations } = posted;
  const startBy = Date.now() + ACCEPTED_WITHIN_MS;
  const waitedBefore = permits.waitedMs;
  const checked = await checkJob(deps, posted, (spent) => replay(deps, compensations, spent, bodyDigest));
  if ('replayed' in checked) return checked.replayed;
  using _fetched = checked;
  using _permit = await permits.take(deps.limits.acceptances, 1, 'accountId');
  const acceptBy = startBy + permits.waitedMs - waitedBefore;
  return await storeAndAccept(deps, posted, { ...checked, acceptBy });
}

type Accepting = CheckedJob & { acceptBy: number };

async function storeAndAccept(deps: ApiDeps, posted: PostedJob, checked: Accepting) {
  const { caller, compensations } = posted;
  const { plan, image, onCharged, acceptBy } = checked;
  const { bytes, format, sha256 } = image;
  const input: ObjectRef = { bucket: 'inputs', key: `${caller.accountId}/${randomUUID()}.${format}` };
  await deps.images.putInput(input.key, bytes, `image/${format}`, sha256);
  const draft = toDraft(posted, checked, input);
  const request = { draft, plan, format, accountName: caller.accountName };
  try {
    const withinMs = Math.min(deps.config.api.acceptTimeoutMs, acceptBy - Date.now());
    const job = await requestAcceptance(deps, compensations, request, withinMs);
    if (job.job_id === draft.jobId) onCharged();
    else await removeImagesSoon(deps, [input]);
    return job;
  } catch (error) {
    // After a 5xx a late acceptance may still need the image. If not, the retention run deletes it
    // as an orphan.
    if (error instanceof ApiError && error.status < 500) await removeImagesSoon(deps, [input]);
    throw error;
  }
}

function toDraft(posted: PostedJob, { plan, webhookUrl }: CheckedJob, input: ObjectRef): JobDraft {
  const { caller, bodyDigest, idempotencyKey, compensations } = posted;
  const jobId = compensations.requestId;
  return {
    jobId,
    accountId: caller.accountId,
    keyId: caller.keyId,
    idempotencyKey,
    bodyDigest,
    tool: plan.tool,
    imagesCharged: plan.imagesCharged,
    options: plan.settings,
    warnings: plan.warnings,
    webhookUrl,
    workflowId:
      idempotencyKey === null ? jobWorkflowId(jobId) : keyWorkflowId(caller.keyId, digestOf(idempotencyKey)),
    input,
  };
}

const digestOf = (idempotencyKey: string) => createHash('sha256').update(idempotencyKey).digest('base64url');
