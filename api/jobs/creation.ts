import { createHash, randomUUID } from 'node:crypto';
import { findTool, likelyTool, type Plan, planRender } from '../../catalog/catalog.ts';
import { disabledTool, insufficientCredits, notOneImage, unknownTool } from '../../contract/api-errors.ts';
import { ApiError } from '../../contract/errors.ts';
import { BUDGETS } from '../../contract/limits.ts';
import type { CreateJob, JobCreated, JobReplayed } from '../../contract/schemas.ts';
import { type Failures, remainingMs } from '../../domain/failures.ts';
import type { Caller, JobDraft, ObjectRef } from '../../domain/records.ts';
import { removeImagesSoon } from '../../domain/remove-images.ts';
import { EgressError } from '../../egress/egress.ts';
import { jobWorkflowId, keyWorkflowId } from '../../protocol/workflow-ids.ts';
import type { Hold } from '../budgets/hold.ts';
import type { ApiDeps } from '../deps.ts';
import type { IncomingImage } from '../intake/image-field.ts';
import { acceptJob } from './accept.ts';
import type { Compensations } from './compensations.ts';
import { type FetchedImage, imageFromBase64, imageFromUrl } from './image.ts';
import { replay } from './replay.ts';

/**
 * Time until acceptance must have started, fetching and storing the image included. With the calls after it, a request
 * takes at most 20 s besides its wait for budgets.
 */
const ACCEPTED_WITHIN_MS = 14_000;

export interface Creation {
  caller: Caller;
  /** The fields of the body without the image; empty after `dropFields`. */
  body: CreateJob;
  image: IncomingImage | undefined;
  bodyDigest: string;
  idempotencyKey: string | null;
  /** The request's budget leases. */
  hold: Hold;
  compensations: Compensations;
  /** Releases the memory and budget of the fields: options and unknown fields may take a megabyte. */
  dropFields(): void;
}

/**
 * POST /v1/jobs after the body is read: runs the checks in order, stores the image and has the job accepted.
 * @throws ApiError. After a 4xx nothing is charged and the image is deleted. After a 5xx the onSend hook of the route
 * runs the compensations.
 */
export async function createOrReplayJob(
  deps: ApiDeps,
  creation: Creation,
): Promise<JobCreated | JobReplayed> {
  const startBy = Date.now() + ACCEPTED_WITHIN_MS;
  if ((creation.image === undefined) === (creation.body.image_url === undefined)) throw notOneImage();
  const replayed = await replayByKey(deps, creation);
  if (replayed !== 'again') return replayed;
  try {
    return await createJob(deps, creation, startBy);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    // What refused it, such as the balance, may have been changed by a request with the same key, accepted meanwhile.
    const accepted = await replayByKey(deps, creation);
    if (accepted !== 'again') return accepted;
    throw error;
  }
}

/** @returns `again` if the request has no key, or the key is free. @throws ApiError as {@link replay} */
async function replayByKey(
  deps: ApiDeps,
  { caller, bodyDigest, idempotencyKey, compensations }: Creation,
): Promise<JobReplayed | 'again'> {
  if (idempotencyKey === null) return 'again';
  const spent = await deps.stores.jobs.findByIdempotencyKey(caller.keyId, idempotencyKey);
  return spent === undefined ? 'again' : replay(deps, compensations, spent, bodyDigest);
}

async function createJob(
  deps: ApiDeps,
  creation: Creation,
  startBy: number,
): Promise<JobCreated | JobReplayed> {
  const { body, caller, image, hold } = creation;
  const waitedBefore = hold.waitedMs;
  const plan = planOf(deps, body);
  const { image_url: imageUrl = '', webhook_url: webhookUrl = null } = body;
  await checkWebhookUrl(deps, webhookUrl);
  await checkAccount(deps, caller, plan);
  if (image === undefined) creation.dropFields();
  const { image: checked, onCharged } = await imageOf(deps, creation, imageUrl);
  using _slot = await hold.take(deps.budgets.acceptances, 1, 'accountId');
  const acceptBy = startBy + hold.waitedMs - waitedBefore;
  return await storeAndAccept(deps, creation, { plan, webhookUrl, image: checked, onCharged, acceptBy });
}

async function imageOf(
  deps: ApiDeps,
  { caller, image, hold }: Creation,
  imageUrl: string,
): Promise<FetchedImage> {
  if (image !== undefined) return { image: imageFromBase64(image), onCharged: () => {} };
  return imageFromUrl({ ...deps, hold, keyId: caller.keyId }, imageUrl);
}

function planOf({ toolSwitch }: ApiDeps, { tool, options }: CreateJob): Plan {
  const spec = findTool(tool);
  if (spec === undefined) throw unknownTool(likelyTool(tool, (slug) => !toolSwitch.isDisabled(slug)));
  if (toolSwitch.isDisabled(spec.slug)) throw disabledTool(spec.slug);
  const planned = planRender(spec, options);
  if (!planned.ok) throw new ApiError('invalid_request', planned.message);
  return planned.plan;
}

async function checkWebhookUrl({ egress }: ApiDeps, url: string | null): Promise<void> {
  if (url === null) return;
  try {
    await egress.check(url);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new ApiError('webhook_url_rejected', `webhook_url: ${error.message}`, { cause: error });
  }
}

/** Rejects early what acceptance would reject; the balance is checked again in the charging transaction. */
async function checkAccount({ stores }: ApiDeps, { accountId }: Caller, plan: Plan): Promise<void> {
  const { balance, failures } = await stores.accounts.get(accountId);
  if (balance < plan.imagesCharged) throw insufficientCredits();
  if (failures !== undefined) await checkFailures(stores, accountId, failures);
}

/** Failed jobs are refunded, so they are limited: a caller could otherwise use renderers and models for free. */
async function checkFailures({ packs }: ApiDeps['stores'], accountId: string, failures: Failures) {
  const { jobs } = failures;
  const waitMs = remainingMs(failures, new Date());
  if (waitMs === 0 || jobs < BUDGETS.accountFailures) return;
  const limit = (await packs.hasPaid(accountId)) ? BUDGETS.paidAccountFailures : BUDGETS.accountFailures;
  if (jobs < limit) return;
  const message = `${jobs} jobs of this account failed within an hour because of their input, after a model may have charged for them, or because they were cancelled. Check their \`error\` before you send more.`;
  throw new ApiError('rate_limited', message, {
    limit: 'failed-jobs',
    retryAfter: Math.ceil(waitMs / 1000),
  });
}

type Checked = FetchedImage & { plan: Plan; webhookUrl: string | null; acceptBy: number };

async function storeAndAccept(deps: ApiDeps, creation: Creation, checked: Checked) {
  const { caller, compensations } = creation;
  const { plan, image, onCharged, acceptBy } = checked;
  const { bytes, format, sha256 } = image;
  const input: ObjectRef = { bucket: 'inputs', key: `${caller.accountId}/${randomUUID()}.${format}` };
  await deps.images.putInput(input.key, bytes, `image/${format}`, sha256);
  const draft = toDraft(creation, checked, input);
  const request = { draft, plan, format, accountName: caller.accountName };
  try {
    const withinMs = Math.min(deps.config.api.acceptTimeoutMs, acceptBy - Date.now());
    const job = await acceptJob(deps, compensations, request, withinMs);
    if (job.job_id === draft.jobId) onCharged();
    else await removeImagesSoon(deps, [input]);
    return job;
  } catch (error) {
    // After a 5xx a late acceptance may still need the image. If not, the retention run deletes it as an orphan.
    if (error instanceof ApiError && error.status < 500) await removeImagesSoon(deps, [input]);
    throw error;
  }
}

function toDraft(creation: Creation, { plan, webhookUrl }: Checked, input: ObjectRef): JobDraft {
  const { caller, bodyDigest, idempotencyKey, compensations } = creation;
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
